/* The launches of source_counters.py, one after the other, for Nsight Compute to watch.

   source_launch FILE [--dry] [--hashes TO]

   The file has a word and its operands a line; "go" launches what was said since the last one:
     kernel CUBIN ENTRY     grid X Y Z     block X Y Z     shared BYTES
     buffer FILE            an argument: the address of a copy of that file
     output FILE            where to write what that buffer, the last one, holds after the launch
     room BYTES             an argument: the address of so many bytes that nobody has written
     value HEX              an argument: these bytes
     constant NAME HEX      bytes of a __constant__ variable
   --dry reads everything and asks no GPU. --hashes: launches may fail. A line of TO has what became of each, and a hash of each
   buffer. A launch of more than 10 s, or a failure that leaves no context, ends the program with 3; the next one then begins
   behind that launch. */
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

using bytes = std::vector<char>;

struct argument {
    bool pointer = false;
    bytes content;
    size_t room = 0;         /* bytes */
    std::string output = {}; /* empty: it is not written */
};

struct launch {
    std::string cubin, entry;
    unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared = 0;
    std::vector<argument> arguments;
    std::vector<std::pair<std::string, bytes>> constants;
};

[[noreturn]] void fail(const std::string &what)
{
    std::cerr << "source_launch: " << what << "\n";
    std::exit(1);
}

void check(CUresult result, const std::string &what)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = nullptr;
    cuGetErrorName(result, &name);
    fail(what + ": " + (name ? name : "?"));
}

bytes content_of(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail("no file " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bytes from_hex(const std::string &text)
{
    bytes out;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        out.push_back((char)std::stoi(text.substr(i, 2), nullptr, 16));
    return out;
}

void take(launch &one, const std::string &word, std::istringstream &line)
{
    std::string first, second;
    if (word == "kernel")
        line >> one.cubin >> one.entry;
    else if (word == "grid")
        line >> one.grid[0] >> one.grid[1] >> one.grid[2];
    else if (word == "block")
        line >> one.block[0] >> one.block[1] >> one.block[2];
    else if (word == "shared")
        line >> one.shared;
    else if (word == "buffer" && line >> first)
        one.arguments.push_back({true, content_of(first)});
    else if (word == "output" && !one.arguments.empty())
        line >> one.arguments.back().output;
    else if (word == "room" && line >> first)
        one.arguments.push_back({true, {}, std::stoul(first)});
    else if (word == "value" && line >> first)
        one.arguments.push_back({false, from_hex(first)});
    else if (word == "constant" && line >> first >> second)
        one.constants.emplace_back(first, from_hex(second));
    else
        fail("no such line: " + word);
    if (line.fail())
        fail("operands are missing: " + word);
}

void write_output(argument &a, CUdeviceptr from)
{
    if (a.output.empty())
        return;
    check(cuMemcpyDtoH(a.content.data(), from, a.content.size()), "cuMemcpyDtoH");
    std::ofstream file(a.output, std::ios::binary);
    if (!file.write(a.content.data(), (std::streamsize)a.content.size()))
        fail("cannot write " + a.output);
}

/* FNV-1a of what a buffer holds. */
uint64_t hash_of(CUdeviceptr buffer, size_t size)
{
    bytes content(size);
    check(cuMemcpyDtoH(content.data(), buffer, size), "cuMemcpyDtoH");
    uint64_t hash = 0xcbf29ce484222325;
    for (char byte : content)
        hash = (hash ^ (unsigned char)byte) * 0x100000001b3;
    return hash;
}

/* Waits for the launch, for 10 s at most. */
CUresult wait()
{
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    CUresult result;
    while ((result = cuStreamQuery(nullptr)) == CUDA_ERROR_NOT_READY &&
           std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    return result;
}

void tell_hashes(CUresult result, const launch &one, const std::vector<CUdeviceptr> &owned, std::ofstream &to)
{
    if (!result)
        result = wait();
    const char *name = nullptr;
    size_t number = 0;
    cuGetErrorName(result, &name);
    to << (name ? name : "?") << std::hex;
    for (const argument &a : one.arguments)
        if (a.pointer && !result)
            to << " " << hash_of(owned[number++], std::max(a.room, a.content.size()));
    to << std::dec << std::endl;
    if (result == CUDA_ERROR_NOT_READY || (result && cuCtxSynchronize()))
        std::_Exit(3);
}

/* Where there are no hashes to tell, a launch that fails ends the program. */
void run(launch &one, std::ofstream *hashes)
{
    CUmodule module;
    CUfunction function;
    check(cuModuleLoad(&module, one.cubin.c_str()), one.cubin);
    check(cuModuleGetFunction(&function, module, one.entry.c_str()), one.cubin + " " + one.entry);
    for (auto &[name, value] : one.constants) {
        CUdeviceptr to;
        check(cuModuleGetGlobal(&to, nullptr, module, name.c_str()), name);
        check(cuMemcpyHtoD(to, value.data(), value.size()), name);
    }
    std::vector<CUdeviceptr> owned, holes; /* behind each buffer nothing is allocated */
    std::vector<void *> parameters;
    owned.reserve(one.arguments.size()); // parameters point into it
    for (argument &a : one.arguments) {
        if (a.pointer) {
            owned.push_back(0);
            check(cuMemAlloc(&owned.back(), std::max(a.room, a.content.size())), "cuMemAlloc");
            holes.push_back(0);
            check(cuMemAlloc(&holes.back(), 1 << 16), "cuMemAlloc");
            if (!a.content.empty())
                check(cuMemcpyHtoD(owned.back(), a.content.data(), a.content.size()), "cuMemcpyHtoD");
        }
        parameters.push_back(a.pointer ? (void *)&owned.back() : (void *)a.content.data());
    }
    for (CUdeviceptr hole : holes)
        check(cuMemFree(hole), "cuMemFree");
    CUresult result =
        cuLaunchKernel(function, one.grid[0], one.grid[1], one.grid[2], one.block[0], one.block[1],
                       one.block[2], one.shared, nullptr, parameters.data(), nullptr);
    if (hashes)
        tell_hashes(result, one, owned, *hashes);
    else
        check(result ? result : cuCtxSynchronize(), one.cubin + ": the launch");
    size_t next = 0;
    for (argument &a : one.arguments) {
        if (!a.pointer)
            continue;
        if (!hashes)
            write_output(a, owned[next]);
        check(cuMemFree(owned[next++]), "cuMemFree");
    }
    check(cuModuleUnload(module), "cuModuleUnload");
}

void begin()
{
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

} // namespace

int main(int count, char **words)
{
    if (count < 2)
        fail("usage: source_launch FILE [--dry] [--hashes TO]");
    bool dry = count > 2 && std::string(words[2]) == "--dry";
    std::ofstream hashes;
    if (count > 3 && std::string(words[2]) == "--hashes")
        hashes.open(words[3], std::ios::app);
    std::ifstream file(words[1]);
    if (!file)
        fail(std::string("no file ") + words[1]);
    if (!dry)
        begin();
    launch one;
    int done = 0;
    for (std::string text, word; std::getline(file, text);) {
        std::istringstream line(text);
        if (!(line >> word))
            continue;
        if (word != "go") {
            take(one, word, line);
            continue;
        }
        if (dry)
            content_of(one.cubin);
        else
            run(one, hashes.is_open() ? &hashes : nullptr);
        one = {};
        done++;
    }
    std::cout << done << (dry ? " launches read\n" : " launches\n");
    return 0;
}
