// The ghosts for detection: bodies that a rank's bodies may touch before they have moved far.
#pragma once

#include "engine/detection/detection.h"
#include "engine/simulation/model.h"
#include "engine/simulation/ranks/ghosts.h"
#include "engine/simulation/ranks/whole_cut.h"

namespace scree {

/// Bodies get boxes wider than their possible travel in a step. Bodies of other ranks whose wide boxes
/// overlap those of a rank's bodies are its ghosts, until a body of any rank leaves its own wide box. Between
/// detections there are no ghosts in the state; partners in contacts and caches beyond the own bodies are
/// ghosts of the halo.
class RankHalo : public Halo {
 public:
  explicit RankHalo(Ranks& ranks) : ranks_(ranks) {}

  /// Sets the ghosts until the halo is made, so that they match a state that has just been shared out. All
  /// ranks must call it.
  void begin(const WholeCut& cut, std::vector<std::int32_t> numbers);
  const GhostLists& lists() const { return lists_; }
  /// Appends the ghosts to the bodies, with the present data of their owners.
  void attach(const WholeCut& cut, const PlacedCell& cell, State& state);
  void detach();

  /// [ghost] its slot after these bodies are removed; -1: it is one of them. Global numbers,
  /// ascending.
  std::vector<std::int32_t> slots_without(std::span<const std::int32_t> gone) const;
  /// Removes them; `own_gone`: slots of those that are this rank's.
  void remove(std::span<const std::int32_t> gone, std::span<const std::int32_t> own_gone);

  // Properties of ghosts at the last detection.
  std::int32_t find(std::int32_t whole_number) const { return lists_.find(whole_number); }  // or -1
  std::int32_t number(std::size_t ghost) const { return lists_.number[ghost]; }             // global
  MaterialIndex material(std::size_t ghost) const { return records_[ghost].material; }

  std::size_t own_bodies() const override { return own_; }
  std::size_t first_after() const override { return own_ + ghosts_before_; }
  bool is_anywhere(bool here) override { return any(&ranks_, here); }
  void follow(std::span<double> numbers) override;
  bool covers(std::span<const BoundingBox> boxes) override;

 private:
  void append();
  void renew(std::span<const BoundingBox> boxes);
  void renumber_partners(const std::vector<std::int32_t>& before);

  Ranks& ranks_;
  GhostLists lists_;
  bool is_made_ = false;
  std::size_t own_ = 0, ghosts_before_ = 0;
  std::vector<BoundingBox> wide_;  // [own body]
  Mat3 lattice_ = Mat3::Zero();    // m, of the cell when the halo was made
  double shift_ = 0.0;             // m, allowed relative motion of images and bodies until it is made again
  const WholeCut* cut_ = nullptr;  // set while ghosts are attached
  const PlacedCell* cell_ = nullptr;
  State* state_ = nullptr;
  std::vector<BodyRecord> records_, scratch_;
  std::vector<double> numbers_;
};

}  // namespace scree
