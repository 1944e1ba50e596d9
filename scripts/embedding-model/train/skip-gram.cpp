// Skip-gram with negative sampling over texts.bin: words with similar contexts get similar vectors.
// usage: skip-gram FOLDER OUT.f32 [dims=128 epochs=1 window=6 negatives=6 rate=0.04 seed=1]
#include "common.hpp"

struct Trainer {
  size_t dims, units;
  vector<uint16_t> texts;
  vector<float> in, out, keep, sigmoid;
  vector<uint16_t> negatives;
  Random random;
  int window, perWord;

  Trainer(const string& folder, std::map<string, double>& o)
      : dims(o["dims"]), units(countUnits(folder)), texts(readNumbers<uint16_t>(folder + "/texts.bin")),
        in(units * dims), out(units * dims, 0), keep(units), sigmoid(2048), negatives(1 << 22), random(o["seed"]),
        window(o["window"]), perWord(o["negatives"]) {
    for (auto& value : in) value = (random.part() - 0.5) / dims;
    for (int i = 0; i < 2048; i++) sigmoid[i] = 1 / (1 + std::exp(-(i / 1024.0 - 1) * 8));
    countTexts();
  }

  void countTexts() {
    vector<uint64_t> times(units, 0);
    uint64_t total = 0;
    for (auto unit : texts)
      if (!isMark(unit)) times[unit]++, total++;
    double powers = 0, reached = 0;
    for (auto count : times) powers += std::pow(count, 0.75);
    size_t filled = 0;
    for (size_t unit = 0; unit < units; unit++) {
      const double share = double(times[unit]) / total, often = 1e-4;
      keep[unit] = share > 0 ? std::min(1.0, std::sqrt(often / share) + often / share) : 0;
      reached += std::pow(times[unit], 0.75) / powers;
      while (filled < negatives.size() && filled < reached * negatives.size()) negatives[filled++] = unit;
    }
    while (filled < negatives.size()) negatives[filled++] = 0;
  }

  float chance(float product) const {
    return product > 7.9f ? 1 : product < -7.9f ? 0 : sigmoid[int((product / 8 + 1) * 1024)];
  }

  // All context words of a word share the same negative samples.
  void learnWord(const vector<uint16_t>& words, int at, float rate, vector<float>& inward, vector<float>& outward) {
    int context[64], count = 0;
    const int reach = 1 + random.below(window), end = words.size();
    for (int i = std::max(0, at - reach); i <= std::min(end - 1, at + reach); i++)
      if (i != at) context[count++] = words[i];
    if (count == 0) return;
    std::fill(inward.begin(), inward.begin() + count * dims, 0.f);
    for (int k = 0; k <= perWord; k++) {
      const uint16_t target = k == 0 ? words[at] : negatives[random.next() >> 42];
      if (k > 0 && target == words[at]) continue;
      float* o = &out[target * dims];
      std::fill(outward.begin(), outward.end(), 0.f);
      for (int c = 0; c < count; c++) {
        const float* x = &in[context[c] * dims];
        float* g = &inward[c * dims];
        float product = 0;
        for (size_t z = 0; z < dims; z++) product += x[z] * o[z];
        const float step = ((k == 0) - chance(product)) * rate;
        for (size_t z = 0; z < dims; z++) g[z] += step * o[z], outward[z] += step * x[z];
      }
      for (size_t z = 0; z < dims; z++) o[z] += outward[z];
    }
    for (int c = 0; c < count; c++)
      for (size_t z = 0; z < dims; z++) in[context[c] * dims + z] += inward[c * dims + z];
  }

  void run(double epochs, double rate) {
    const uint64_t block = 200000, blocks = texts.size() / block + 1, goal = texts.size() * epochs;
    vector<float> inward(64 * dims), outward(dims);
    vector<uint16_t> words;
    uint64_t done = 0, told = 0;
    while (done < goal) {
      const uint64_t start = random.below(blocks) * block, end = std::min<uint64_t>(texts.size(), start + block);
      const float now = rate * std::max(0.02, 1 - double(done) / goal);
      auto flush = [&] {
        for (size_t at = 0; at < words.size(); at++) learnWord(words, at, now, inward, outward);
        words.clear();
      };
      for (uint64_t i = start; i < end; i++) {
        const uint16_t unit = texts[i];
        if (unit == documentMark || (unit == paragraphMark && words.size() > 30) || words.size() > 500) flush();
        if (!isMark(unit) && (keep[unit] >= 1 || random.part() <= keep[unit])) words.push_back(unit);
      }
      flush();
      done += end - start;
      if (done * 20 / goal > told) fprintf(stderr, "%d %%\n", int(++told * 5));
    }
  }
};

int main(int count, char** words) {
  if (count < 3) fail("usage: skip-gram FOLDER OUT.f32 [key=value...]");
  auto options = readOptions(count, words, 3, {{"dims", 128}, {"epochs", 1}, {"window", 6}, {"negatives", 6}, {"rate", 0.04}, {"seed", 1}});
  Trainer trainer(words[1], options);
  trainer.run(options["epochs"], options["rate"]);
  writeVectors(words[2], trainer.in);
}
