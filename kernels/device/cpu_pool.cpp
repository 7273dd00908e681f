/* Threads that wait for a round and do a part of it each. */
#include "kernels/device/cpu_pool.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

/* The mutex guards all members below it. A round is one cpu_pool_each(). Threads sleep between rounds,
   because a waiting executor must not use cores that others measure on. */
struct cpu_pool {
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::condition_variable begun, ended;
    uint64_t round = 0, count = 0;
    unsigned busy = 0;
    bool stop = false;
    const std::function<void(uint64_t, uint64_t)> *part = nullptr;
};

static void do_part(cpu_pool *pool, unsigned index, unsigned parts)
{
    uint64_t begin =
        pool->count / parts * index + (index < pool->count % parts ? index : pool->count % parts);
    uint64_t end = begin + pool->count / parts + (index < pool->count % parts);
    if (begin < end)
        (*pool->part)(begin, end);
}

static void work(cpu_pool *pool, unsigned index)
{
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(pool->mutex);
    for (;;) {
        pool->begun.wait(lock, [&] { return pool->stop || pool->round != seen; });
        if (pool->stop)
            return;
        seen = pool->round;
        lock.unlock();
        do_part(pool, index, (unsigned)pool->threads.size() + 1);
        lock.lock();
        if (--pool->busy == 0)
            pool->ended.notify_one();
    }
}

cpu_pool *cpu_pool_new(unsigned threads)
{
    auto *pool = new cpu_pool;
    std::lock_guard<std::mutex> lock(pool->mutex);
    for (unsigned i = 1; i < threads; i++)
        pool->threads.emplace_back(work, pool, i);
    return pool;
}

void cpu_pool_free(cpu_pool *pool)
{
    if (!pool)
        return;
    {
        std::lock_guard<std::mutex> lock(pool->mutex);
        pool->stop = true;
    }
    pool->begun.notify_all();
    for (auto &thread : pool->threads)
        thread.join();
    delete pool;
}

unsigned cpu_pool_threads(const cpu_pool *pool)
{
    return (unsigned)pool->threads.size() + 1;
}

void cpu_pool_each(cpu_pool *pool, uint64_t count, const std::function<void(uint64_t, uint64_t)> &part)
{
    unsigned others = (unsigned)pool->threads.size();
    {
        std::lock_guard<std::mutex> lock(pool->mutex);
        pool->count = count;
        pool->part = &part;
        pool->busy = others;
        pool->round++;
    }
    pool->begun.notify_all();
    do_part(pool, 0, others + 1); /* the caller's thread does a part too */
    std::unique_lock<std::mutex> lock(pool->mutex);
    pool->ended.wait(lock, [&] { return pool->busy == 0; });
}
