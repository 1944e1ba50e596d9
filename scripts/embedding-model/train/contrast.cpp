// Contrastive training: a query must be nearer to its passage than to others in the batch, and the passage likewise.
// A text's vector is the sum of its units' vectors, so the length of a vector is the weight of its unit.
// usage: contrast FOLDER IN.f32 OUT.f32 [steps=10000 batch=1024 rate=0.03 scale=20 seed=1 ...]
#include "batches.hpp"
#include "matrices.hpp"

// Initial vectors: centred, of unit length, weighted by rarity.
static void weighByRarity(vector<float>& vectors, const vector<uint64_t>& times, size_t dims, double often) {
  double total = 0, weights = 0;
  vector<double> mean(dims, 0);
  for (auto count : times) total += count;
  for (size_t u = 0; u < times.size(); u++) {
    float* v = &vectors[u * dims];
    double length = 1e-9;
    for (size_t z = 0; z < dims; z++) length += double(v[z]) * v[z];
    const double weight = std::sqrt(double(times[u]));
    weights += weight;
    for (size_t z = 0; z < dims; z++) v[z] /= std::sqrt(length), mean[z] += weight * v[z];
  }
  for (size_t u = 0; u < times.size(); u++)
    for (size_t z = 0; z < dims; z++) {
      float& value = vectors[u * dims + z];
      value = (value - mean[z] / weights) * (often / (often + times[u] / total));
    }
}

struct Side {
  vector<float> sums, unit, gradient, lengths;
  Side(size_t batch, size_t dims) : sums(batch * dims), unit(batch * dims), gradient(batch * dims), lengths(batch) {}

  void pool(const vector<vector<uint16_t>>& texts, const vector<float>& vectors, size_t dims) {
    std::fill(sums.begin(), sums.end(), 0.f);
    for (size_t b = 0; b < texts.size(); b++) {
      float* s = &sums[b * dims];
      for (auto unit : texts[b])
        for (size_t z = 0; z < dims; z++) s[z] += vectors[unit * dims + z];
      float length = 1e-12f;
      for (size_t z = 0; z < dims; z++) length += s[z] * s[z];
      lengths[b] = std::sqrt(length);
      for (size_t z = 0; z < dims; z++) unit[b * dims + z] = s[z] / lengths[b];
    }
  }

  // Converts the gradient of the unit vectors to that of the sums.
  void projectGradient(size_t dims) {
    for (size_t b = 0; b < lengths.size(); b++) {
      float *g = &gradient[b * dims], *h = &unit[b * dims], along = 0;
      for (size_t z = 0; z < dims; z++) along += g[z] * h[z];
      for (size_t z = 0; z < dims; z++) g[z] = (g[z] - along * h[z]) / lengths[b];
    }
  }
};

struct Trainer {
  size_t dims, batch;
  double rate, scale;
  vector<float> vectors, squares, products, weights, sums;
  vector<int> slots;
  vector<uint16_t> used;
  Side queries, passages;

  Trainer(vector<float> start, size_t units, size_t batch, double rate, double scale)
      : dims(start.size() / units), batch(batch), rate(rate), scale(scale), vectors(std::move(start)), squares(units, 0),
        products(batch * batch), weights(batch * batch), slots(units, -1), queries(batch, dims), passages(batch, dims) {}

  // Softmax over rows and over columns, half each; leaves the gradient of the products in `weights`.
  double softmax(const vector<int>& twins) {
    for (size_t b = 0; b < batch; b++)
      if (twins[b] >= 0)
        for (size_t i = 0; i < batch; i++)
          if (i != b) products[i * batch + b] = -2;
    double loss = 0;
    vector<float> columns(batch, 0);
    // Products are at most 1, so 1 serves as the maximum of every row and column.
    const float s = scale;
    for (size_t i = 0; i < batch; i++) {
      float *p = &products[i * batch], *w = &weights[i * batch], sum = 0;
      const float own = p[i];
      for (size_t j = 0; j < batch; j++) w[j] = expf((p[j] - 1) * s), sum += w[j], columns[j] += w[j];
      loss += std::log(sum) - (own - 1) * s;
      for (size_t j = 0; j < batch; j++) p[j] = w[j], w[j] *= 0.5f / sum;
    }
    for (auto& sum : columns) sum = 0.5f / sum;
    for (size_t i = 0; i < batch; i++) {
      for (size_t j = 0; j < batch; j++) weights[i * batch + j] += products[i * batch + j] * columns[j];
      weights[i * batch + i] -= 1;
    }
    return loss / batch;
  }

  double learn(const Batch& b, double share) {
    queries.pool(b.queries, vectors, dims);
    passages.pool(b.passages, vectors, dims);
    multiplyTransposed(queries.unit, passages.unit, products, batch, dims);
    const double loss = softmax(b.twins());
    multiply(weights, passages.unit, queries.gradient, batch, dims, false);
    multiply(weights, queries.unit, passages.gradient, batch, dims, true);
    queries.projectGradient(dims);
    passages.projectGradient(dims);
    gather(b.queries, queries);
    gather(b.passages, passages);
    step(rate * share);
    return loss;
  }

  void gather(const vector<vector<uint16_t>>& texts, const Side& side) {
    for (size_t b = 0; b < texts.size(); b++)
      for (auto unit : texts[b]) {
        if (slots[unit] < 0) {
          slots[unit] = used.size();
          used.push_back(unit);
          sums.resize(used.size() * dims, 0.f);
        }
        float* sum = &sums[slots[unit] * dims];
        for (size_t z = 0; z < dims; z++) sum[z] += side.gradient[b * dims + z];
      }
  }

  // Adagrad with one accumulator per row.
  void step(double now) {
    for (auto unit : used) {
      const float* g = &sums[slots[unit] * dims];
      float square = 0;
      for (size_t z = 0; z < dims; z++) square += g[z] * g[z];
      squares[unit] += square / dims;
      const float by = now / (std::sqrt(squares[unit]) + 1e-8f);
      for (size_t z = 0; z < dims; z++) vectors[unit * dims + z] -= by * g[z];
      slots[unit] = -1;
    }
    used.clear();
    sums.clear();
  }
};

int main(int count, char** words) {
  if (count < 4) fail("usage: contrast FOLDER IN.f32 OUT.f32 [key=value...]");
  auto o = readOptions(count, words, 4, {{"steps", 10000}, {"batch", 1024}, {"rate", 0.03}, {"scale", 20}, {"seed", 1}, {"often", 3e-4},
    {"cut", 0.35}, {"single", 0.5}, {"drop", 0.15}, {"shared", 0.3}, {"synonyms", 0.15}, {"passagedrop", 0.1}, {"asked", 0.25}, {"power", 0.6}});
  Batches batches(words[1], o);
  auto start = readNumbers<float>(words[2]);
  const size_t units = batches.times.size(), steps = o["steps"];
  if (start.size() % units) fail("vectors of another vocabulary");
  weighByRarity(start, batches.times, start.size() / units, o["often"]);
  Trainer trainer(std::move(start), units, o["batch"], o["rate"], o["scale"]);
  double loss = 0;
  for (size_t step = 0; step < steps; step++) {
    const double share = std::min(1.0, (step + 1) / 50.0) * std::max(0.02, 1 - double(step) / steps);
    loss += trainer.learn(batches.next(o["batch"]), share);
    if ((step + 1) % 250 == 0) fprintf(stderr, "step %zu loss %.3f\n", step + 1, loss / 250), loss = 0;
  }
  writeVectors(words[3], trainer.vectors);
}
