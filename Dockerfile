# docker build -t coalesced .                                            with the CUDA device
# docker build -t coalesced --build-arg BASE=debian:bookworm-slim .      without it, much smaller
#
# Both bases are of one distribution, because the second runs what the first linked. BASE sets both. A base with nvcc
# gives an image with the CUDA device. CUDA_ARCHITECTURES=90 builds for the H100 and H200 alone, which is faster.
ARG BASE=
ARG BUILD_BASE=${BASE:-nvidia/cuda:13.0.1-devel-ubuntu24.04}
ARG RUNTIME_BASE=${BASE:-ubuntu:24.04}

FROM ${BUILD_BASE} AS build
WORKDIR /src
COPY scripts/setup.sh scripts/
RUN . scripts/setup.sh && install_packages $run_packages
COPY . .
ARG CUDA_ARCHITECTURES=
# Told as the commit when the context brings no .git, as a git worktree does not: --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=unknown
# A base that brings nvcc is there for the CUDA device: then an image without it would be a mistake, not a choice.
RUN PATH=$PATH:/usr/local/cuda/bin; cuda=OFF; ! command -v nvcc || cuda=REQUIRED; \
    cmake --preset release -DCOALESCED_CUDA=$cuda "-DCOALESCED_COMMIT=$COMMIT" \
        ${CUDA_ARCHITECTURES:+"-DCOALESCED_CUDA_ARCHITECTURES=$CUDA_ARCHITECTURES"} && \
    cmake --build build-release --target coalesced coalesce -j "$(nproc)"
# What the final image has to install is what owns the libraries that were linked: their packages are not called the
# same in every release. dpkg may know /usr/lib by its old name, /lib.
RUN mkdir /out && cp build-release/coalesced build-release/coalesce docker/entrypoint.sh docker/healthcheck.sh /out/ && \
    ldd /out/coalesced /out/coalesce | awk '$2 == "=>" { print $3 }' | sort -u | xargs -n 1 realpath | \
    while read -r library; do dpkg-query -S "$library" || dpkg-query -S "${library#/usr}"; done | cut -d : -f 1 | sort -u > /out/packages && \
    cat /out/packages
# For the counters, where the base has CUPTI: it is opened at run time, from where the toolkit would have it.
RUN mkdir /out/cupti && for library in libcupti.so.1? libnvperf_host.so libnvperf_target.so; do \
        found=$(find -L /usr/local/cuda -name "$library" -type f 2>/dev/null | head -n 1); \
        [ -z "$found" ] || cp -L "$found" /out/cupti/; \
    done && ls /out/cupti
# For the sources that users bring: NVRTC and the headers that they may include, where the base has them; else clang.
RUN mkdir -p /out/nvrtc/lib64 /out/nvrtc/include && cd /usr/local/cuda 2>/dev/null && ls lib64/libnvrtc.so.1? && \
    cp -L lib64/libnvrtc.so.1? lib64/libnvrtc-builtins.so.*.? /out/nvrtc/lib64/ && \
    (cd include && cp -rL --parents cuda_fp16.h* cuda_bf16.h* cuda_fp8.h* cooperative_groups.h cooperative_groups cuda_pipeline*.h \
        math_constants.h mma.h vector_types.h builtin_types.h crt nv cccl/cuda cccl/nv /out/nvrtc/include/) || \
    { rm -rf /out/nvrtc/* && echo clang >> /out/packages; }

FROM ${RUNTIME_BASE}
COPY --from=build /out/packages /tmp/packages
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive xargs apt-get install -y --no-install-recommends < /tmp/packages && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log /tmp/packages && \
    groupadd --gid 10001 coalesced && \
    useradd --uid 10001 --gid 10001 --home-dir /var/lib/coalesced --no-create-home --shell /usr/sbin/nologin coalesced && \
    install -d -o coalesced -g coalesced -m 700 /var/lib/coalesced && \
    install -d -o coalesced -g coalesced -m 755 /var/lib/coalesced-scrape
COPY --from=build /out/cupti/ /usr/local/cuda/lib64/
COPY --from=build /out/nvrtc/ /usr/local/cuda/
COPY --from=build --chmod=755 /out/coalesced /out/coalesce /out/entrypoint.sh /out/healthcheck.sh /usr/local/bin/
RUN coalesced --version && coalesce --version

# The driver's libraries are put in by the NVIDIA container toolkit: those for computing, and nvidia-smi's.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    COALESCED_DATA_DIR=/var/lib/coalesced \
    HOME=/var/lib/coalesced
USER 10001:10001
WORKDIR /var/lib/coalesced
VOLUME /var/lib/coalesced
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["healthcheck.sh"]
ENTRYPOINT ["entrypoint.sh"]
