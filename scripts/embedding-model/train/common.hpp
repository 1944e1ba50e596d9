// Shared by both trainers: the number files of prepare.ts, seeded random numbers, and vectors as files of floats.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using std::string;
using std::vector;

// Marks above every unit number, see prepare.ts.
const uint16_t sentenceMark = 65533, paragraphMark = 65534, documentMark = 65535;

inline bool isMark(uint16_t unit) { return unit >= sentenceMark; }

struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  uint64_t below(uint64_t limit) { return (next() >> 11) % limit; }
  double part() { return (next() >> 11) * (1.0 / 9007199254740992.0); }
};

[[noreturn]] inline void fail(const string& why) {
  fprintf(stderr, "%s\n", why.c_str());
  exit(2);
}

inline string readFile(const string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("can't read " + path);
  return string(std::istreambuf_iterator<char>(file), {});
}

template <class T> vector<T> readNumbers(const string& path) {
  const string bytes = readFile(path);
  vector<T> numbers(bytes.size() / sizeof(T));
  memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

inline void writeVectors(const string& path, const vector<float>& vectors) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(vectors.data()), vectors.size() * sizeof(float));
}

inline size_t countUnits(const string& folder) {
  const string lines = readFile(folder + "/vocabulary.tsv");
  size_t units = 0;
  for (char c : lines) units += c == '\n';
  return units;
}

inline vector<vector<uint16_t>> readLines(const string& path) {
  vector<vector<uint16_t>> lines;
  std::istringstream file(readFile(path));
  for (string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    vector<uint16_t> units;
    for (int unit; numbers >> unit;) units.push_back(unit);
    if (!units.empty()) lines.push_back(units);
  }
  return lines;
}

// A source's range in texts.bin or pairs.bin.
struct Source {
  string name;
  uint64_t start, length;
};

inline vector<Source> readIndex(const string& path) {
  vector<Source> sources;
  std::istringstream file(readFile(path));
  for (Source s; file >> s.name >> s.start >> s.length;) sources.push_back(s);
  return sources;
}

// key=value arguments that override defaults
inline std::map<string, double> readOptions(int count, char** words, int from, std::map<string, double> options) {
  for (int i = from; i < count; i++) {
    const string word = words[i];
    const auto equals = word.find('=');
    const string key = word.substr(0, equals);
    if (equals == string::npos || !options.count(key)) fail("unknown option " + word);
    options[key] = std::stod(word.substr(equals + 1));
  }
  return options;
}
