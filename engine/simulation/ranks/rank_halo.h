// The ghosts that detection needs: what may touch a rank's bodies before they have moved far.
#pragma once

#include "engine/detection/detection.h"
#include "engine/simulation/model.h"
#include "engine/simulation/ranks/ghosts.h"
#include "engine/simulation/ranks/whole_cut.h"

namespace scree {

/// Bodies get boxes that are wider than what they may reach in a step. Bodies of other ranks whose wide boxes
/// meet those of a rank's bodies are its ghosts, until a body of any rank has left its own. Between
/// detections ghosts are not there; partners in contacts and caches beyond the own bodies are ghosts of the
/// halo.
class RankHalo : public Halo {
 public:
  explicit RankHalo(Ranks& ranks) : ranks_(ranks) {}

  /// With these ghosts, until the halo is made; so that they belong to a state that has been shared out.
  void begin(std::vector<std::int32_t> numbers);
  /// Appends the ghosts to the bodies, as their owners have them now.
  void attach(const WholeCut& cut, const PlacedCell& cell, State& state);
  void detach();

  /// [ghost] where it will be when these bodies have gone, -1: it is one of them. Numbers of the whole,
  /// rising.
  std::vector<std::int32_t> slots_without(std::span<const std::int32_t> gone) const;
  /// They go; `own_gone`: slots of those that are this rank's.
  void remove(std::span<const std::int32_t> gone, std::span<const std::int32_t> own_gone);

  // Of ghosts at the last detection.
  std::int32_t number(std::size_t ghost) const { return lists_.number[ghost]; }  // in the whole
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
  Mat3 lattice_ = Mat3::Zero();    // m, of the cell when it was made
  double shift_ = 0.0;             // m, by which images may go another way than bodies until it is made anew
  const WholeCut* cut_ = nullptr;  // these while ghosts are there
  const PlacedCell* cell_ = nullptr;
  State* state_ = nullptr;
  std::vector<BodyRecord> records_, scratch_;
  std::vector<double> numbers_;
};

}  // namespace scree
