"""Arrays on a GPU go to the library that stands in for libbroadphase_cuda."""

import os

if "BROADPHASE_CUDA_STAND_IN" in os.environ:
    os.environ["BROADPHASE_CUDA_LIBRARY"] = os.environ["BROADPHASE_CUDA_STAND_IN"]
