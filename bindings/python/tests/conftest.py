"""Arrays on a GPU go to libbroadphase_cuda with its kernels on the host (cuda/tests/on_host)."""

import os

import gpu_fakes

if "BROADPHASE_CUDA_ON_HOST" in os.environ:
    os.environ["BROADPHASE_CUDA_LIBRARY"] = os.environ["BROADPHASE_CUDA_ON_HOST"]
    gpu_fakes.on_host().reset()
