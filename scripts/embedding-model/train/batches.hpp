// Batches of queries and passages: pairs from pairs.bin, and pairs from texts.bin, where a sentence is the query for
// the rest of its passage. Words are removed from queries, so that vectors learn to match texts without common words.
#pragma once
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include "common.hpp"

using Units = vector<uint16_t>;

struct Batch {
  vector<Units> queries, passages;

  // For each passage an earlier equal one, or -1: equal passages are not negatives of each other.
  vector<int> twins() const {
    std::unordered_map<string, int> seen;
    vector<int> twins(passages.size(), -1);
    for (size_t b = 0; b < passages.size(); b++) {
      const string key(reinterpret_cast<const char*>(passages[b].data()), passages[b].size() * 2);
      const auto [place, isNew] = seen.emplace(key, b);
      if (!isNew) twins[b] = place->second;
    }
    return twins;
  }
};

struct Batches {
  std::map<string, double> options;
  Random random;
  Units texts, pairs;
  vector<uint64_t> times;
  double total = 0;
  vector<vector<uint64_t>> pairStarts;
  vector<Source> textSources;
  vector<double> pairShares, textShares;
  std::unordered_map<int, Units> synonyms;
  vector<Units> questions;

  Batches(const string& folder, const std::map<string, double>& given)
      : options(given), random(given.at("seed") * 7919), texts(readNumbers<uint16_t>(folder + "/texts.bin")),
        pairs(readNumbers<uint16_t>(folder + "/pairs.bin")), times(countUnits(folder), 1),
        questions(readLines(folder + "/questions.txt")) {
    for (auto unit : texts)
      if (!isMark(unit)) times[unit]++;
    for (auto count : times) total += count;
    for (auto& source : readIndex(folder + "/pairs.idx")) {
      vector<uint64_t> starts;
      for (uint64_t at = source.start; at < source.start + source.length; at += 3 + pairs[at + 1] + pairs[at + 2])
        starts.push_back(at);
      if (starts.empty()) continue;
      addShare(pairShares, std::pow(starts.size(), option("power")));
      pairStarts.push_back(std::move(starts));
    }
    for (auto& source : readIndex(folder + "/texts.idx")) {
      if (source.length < 5000) continue;
      const bool novels = source.name.find("ELTeC") != string::npos;
      addShare(textShares, std::pow(source.length, 0.7) * (novels ? 0.35 : 1));
      textSources.push_back(source);
    }
    for (auto& line : readLines(folder + "/synonyms.txt")) synonyms[line[0]] = Units(line.begin() + 1, line.end());
  }

  double option(const char* key) const { return options.at(key); }
  static void addShare(vector<double>& shares, double share) { shares.push_back((shares.empty() ? 0 : shares.back()) + share); }
  size_t pick(const vector<double>& shares) {
    return std::lower_bound(shares.begin(), shares.end(), random.part() * shares.back()) - shares.begin();
  }

  // Half of the batches come from a single source, since passages of one source are harder to tell apart.
  Batch next(size_t size) {
    const bool single = random.part() < option("single"), cut = random.part() < option("cut");
    size_t pairSource = pick(pairShares);
    while (single && pairStarts[pairSource].size() < size * 2) pairSource = pick(pairShares);
    const size_t textSource = pick(textShares);
    Batch batch;
    while (batch.queries.size() < size) {
      Units query, passage;
      if (single ? cut : random.part() < option("cut")) cutText(textSources[single ? textSource : pick(textShares)], query, passage);
      else takePair(pairStarts[single ? pairSource : pick(pairShares)], query, passage);
      if (query.empty() || passage.empty()) continue;
      thin(query, passage);
      batch.queries.push_back(std::move(query));
      batch.passages.push_back(std::move(passage));
    }
    return batch;
  }

  void takePair(const vector<uint64_t>& starts, Units& query, Units& passage) {
    const uint16_t* pair = &pairs[starts[random.below(starts.size())]];
    query.assign(pair + 3, pair + 3 + pair[1]);
    passage.assign(pair + 3 + pair[1], pair + 3 + pair[1] + pair[2]);
    if (pair[0] && random.part() < option("asked")) {
      const Units& question = questions[random.below(questions.size())];
      query.insert(query.begin(), question.begin(), question.end());
    }
    if (passage.size() > 100 && random.part() < 0.3) passage.resize(40 + random.below(60));
  }

  void cutText(const Source& source, Units& query, Units& passage) {
    const int length = 40 + random.below(160);
    if (source.length < uint64_t(length) + 10) return;
    const uint16_t* text = &texts[source.start + random.below(source.length - length)];
    vector<std::pair<int, int>> sentences;
    int from = 0, end = length;
    for (int at = 0; at < length; at++) {
      if (!isMark(text[at])) continue;
      if (text[at] == documentMark && at >= length / 2) {
        end = at;
        break;
      }
      if (text[at] == documentMark) sentences.clear();
      else if (at - from >= 5 && at - from <= 40) sentences.push_back({from, at});
      from = at + 1;
    }
    if (sentences.empty() || end < 30) return;
    const auto asks = sentences[random.below(sentences.size())];
    const bool both = random.part() < 0.08;
    for (int at = 0; at < end; at++) {
      if (isMark(text[at])) continue;
      const bool inQuery = at >= asks.first && at < asks.second;
      if (inQuery) query.push_back(text[at]);
      if (!inQuery || both) passage.push_back(text[at]);
    }
    if (query.size() < 4 || passage.size() < 12) query.clear();
  }

  // Removes query words, some at random and some that the passage contains; others are replaced by synonyms.
  void thin(Units& query, Units& passage) {
    const std::unordered_set<uint16_t> said(passage.begin(), passage.end());
    const double drop = random.part() < 0.5 ? option("drop") : 0;
    const double dropShared = random.part() < 0.5 ? option("shared") * 2 * random.part() : 0;
    const bool swap = random.part() < 0.6;
    Units kept;
    for (auto unit : query) {
      if (random.part() < drop) continue;
      if (dropShared > 0 && said.count(unit) && times[unit] < total * 2e-3 && random.part() < dropShared) continue;
      const auto others = swap && random.part() < option("synonyms") ? synonyms.find(unit) : synonyms.end();
      kept.push_back(others == synonyms.end() ? unit : others->second[random.below(std::min<size_t>(3, others->second.size()))]);
    }
    if (kept.size() >= 2 || (query.size() < 2 && !kept.empty())) query.swap(kept);
    if (passage.size() <= 12 || random.part() < 0.5) return;
    kept.clear();
    for (auto unit : passage)
      if (random.part() >= option("passagedrop")) kept.push_back(unit);
    if (kept.size() > 5) passage.swap(kept);
  }
};
