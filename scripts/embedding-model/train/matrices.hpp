// The three matrix products of a step, in blocks that fit into registers.
#pragma once
#include "common.hpp"

// C[n x n] = A[n x d] . B[n x d] transposed; n is a multiple of 4
inline void multiplyTransposed(const vector<float>& A, const vector<float>& B, vector<float>& C, size_t n, size_t d) {
  for (size_t i = 0; i < n; i += 4)
    for (size_t j = 0; j < n; j += 4)
      for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
          const float *x = &A[(i + a) * d], *y = &B[(j + b) * d];
          float sum = 0;
          for (size_t z = 0; z < d; z++) sum += x[z] * y[z];
          C[(i + a) * n + j + b] = sum;
        }
}

// C[n x d] = W[n x n] . B[n x d], or W transposed; d is a multiple of 64
inline void multiply(const vector<float>& W, const vector<float>& B, vector<float>& C, size_t n, size_t d, bool transposed) {
  for (size_t i = 0; i < n; i += 4)
    for (size_t from = 0; from < d; from += 64) {
      float sums[4][64] = {};
      for (size_t j = 0; j < n; j++) {
        const float* y = &B[j * d + from];
        for (size_t a = 0; a < 4; a++) {
          const float w = transposed ? W[j * n + i + a] : W[(i + a) * n + j];
          for (size_t z = 0; z < 64; z++) sums[a][z] += w * y[z];
        }
      }
      for (size_t a = 0; a < 4; a++) memcpy(&C[(i + a) * d + from], sums[a], sizeof sums[a]);
    }
}
