/* The threads of the CPU device: one a core, started once; each gets a contiguous part of the work. */
#pragma once

#include <stdint.h>

#include <functional>

struct cpu_pool;

struct cpu_pool *cpu_pool_new(unsigned threads);
void cpu_pool_free(cpu_pool *pool);
unsigned cpu_pool_threads(const cpu_pool *pool);

/* Calls part(begin, end) on every thread, with parts that cover [0, count) once, and waits for all. */
void cpu_pool_each(cpu_pool *pool, uint64_t count, const std::function<void(uint64_t, uint64_t)> &part);
