// Pieces of files are the same bytes whichever process packs them.
#include "io/files/piece.h"

#include <gtest/gtest.h>
#include <random>

#include "io/files/vtk_file.h"
#include "tests/support/emulated_team.h"

namespace scree::io {
namespace {

/// Chunks of many sizes, some of which compress, and data of VTK if its library is there.
std::vector<Piece> some_pieces() {
  std::vector<Piece> pieces;
  std::mt19937 random(3);
  for (const std::size_t numbers : {1u, 1000u, 37u, 5000u, 4096u, 2u}) {
    std::vector<float> values(numbers);
    for (float& value : values) value = static_cast<float>(random() % 100);
    const auto bytes = std::as_bytes(std::span(values));
    pieces.push_back({Piece::Kind::hdf5_chunk, sizeof(float), false, {bytes.begin(), bytes.end()}});
  }
  if (!vtk_problem().empty()) return pieces;
  const std::vector<Eigen::Vector3f> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5}};
  const std::vector<std::int64_t> id{3, 4, 5, 6};
  const std::vector<std::int32_t> face{7};
  pieces.push_back(vtk_points(points, {{"an id", id}, {"place", points}}));
  pieces.push_back(vtk_lines(points, {}));
  pieces.push_back(vtk_polygons(points, {{0, 1, 2, 3}}, points, {{"face", face}}));
  return pieces;
}

TEST(Piece, IsTheSameWhicheverRankPacksIt) {
  std::vector<Piece> alone = some_pieces();
  for (Piece& piece : alone) pack(piece);
  for (const std::size_t ranks : {1u, 2u, 3u, 12u}) {  // 12: some have nothing to do
    test::EmulatedTeam team(ranks);
    std::vector<Piece> shared = some_pieces();
    shared[1] = alone[1];  // is packed already
    team.run([&](std::size_t r) {
      std::vector<Piece*> pieces;
      if (r == 0)
        for (Piece& piece : shared) pieces.push_back(&piece);
      pack(team.rank(r), pieces);
      pack(team.rank(r), {});  // nothing at all
    });
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_TRUE(shared[k].is_packed);
      EXPECT_EQ(shared[k].bytes, alone[k].bytes) << ranks << " ranks, piece " << k;
    }
  }
}

}  // namespace
}  // namespace scree::io
