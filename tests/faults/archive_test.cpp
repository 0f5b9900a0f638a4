#include "io/files/archive.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

#include "io/files/file_errors.h"

namespace scree::io {
namespace {

enum class Fruit { apple, pear };

struct Grain {
  double mass = 0.0;
  std::uint8_t flag = 0;  // before a gap in memory
  Vec3 at = Vec3::Zero();
  Vec3f force = Vec3f::Zero();
  Quat turn = Quat::Identity();
  std::uint32_t feature = 0;
  bool operator==(const Grain& o) const {
    return mass == o.mass && flag == o.flag && at == o.at && force == o.force &&
           turn.coeffs() == o.turn.coeffs() && feature == o.feature;
  }
};
template <class F>
void fields(Grain& g, F&& f) {
  f("mass", g.mass);
  f("flag", g.flag);
  f("at", g.at);
  f("force", g.force);
  f("turn", g.turn);
  f("feature", g.feature);
}

struct Everything {
  double number = 0.0;
  bool flag = false;
  Fruit fruit = Fruit::apple;
  std::int64_t count = 0;
  std::uint64_t bits = 0;
  Vec3 vector = Vec3::Zero();
  std::string text;
  std::vector<std::string> texts;
  std::optional<Vec3> given, not_given;
  std::vector<Vec3> vectors;
  std::vector<Quat> turns;
  std::vector<BodyIndex> indices;
  std::vector<double> empty;
  std::vector<Grain> grains;

  void visit(Archive& io) {
    io("number", number);
    io("flag", flag);
    io("fruit", fruit);
    io.group("inside", [&] {
      io("count", count);
      io.group("again", [&] { io("bits", bits); });
    });
    io("vector", vector);
    io("text", text);
    io("texts", texts);
    io("given", given);
    io("not_given", not_given);
    io("vectors", vectors);
    io("turns", turns);
    io("indices", indices);
    io("empty", empty);
    io("grains", grains);
  }
};

Everything example() {
  Everything e;
  e.number = 0.1;
  e.flag = true;
  e.fruit = Fruit::pear;
  e.count = -5;
  e.bits = ~std::uint64_t{0};
  e.vector = Vec3(1.0, -infinity, 5e-324);
  e.text = std::string("two\nlines and a \0 byte", 22);
  e.texts = {"", "a", "bc"};
  e.given = Vec3(1, 2, 3);
  e.not_given = std::nullopt;
  e.vectors = {Vec3(1, 2, 3), Vec3(4, 5, -0.0)};
  e.turns = {Quat(0.5, 0.5, -0.5, 0.5)};
  e.indices = {BodyIndex(3), BodyIndex(-1)};
  e.grains.resize(3);
  e.grains[1] = {0.25, 7, Vec3(1, 2, 3), Vec3f(4, 5, 6), Quat(0, 1, 0, 0), 9};
  return e;
}

const ArchiveKind kind{"scree example", 3};

class Archives : public testing::Test {
 protected:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("scree_archive_" + std::to_string(getpid()) + ".h5");
  void TearDown() override { std::filesystem::remove(path_); }

  void write(Everything e) const {
    Archive io = Archive::to_write(path_, kind);
    e.visit(io);
    io.finish();
  }
  std::string refusal(const ArchiveKind& wanted) const {
    try {
      Archive io = Archive::to_read(path_, wanted);
      Everything e;
      e.visit(io);
    } catch (const ReadError& error) {
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_F(Archives, RoundTripKeepsEveryBit) {
  const Everything e = example();
  write(e);
  Archive io = Archive::to_read(path_, kind);
  Everything r;
  r.not_given = Vec3::Ones();
  r.empty = {1.0};
  r.visit(io);
  EXPECT_EQ(r.number, e.number);
  EXPECT_EQ(r.flag, e.flag);
  EXPECT_EQ(r.fruit, e.fruit);
  EXPECT_EQ(r.count, e.count);
  EXPECT_EQ(r.bits, e.bits);
  EXPECT_EQ(r.vector, e.vector);
  EXPECT_EQ(r.text, e.text);
  EXPECT_EQ(r.texts, e.texts);
  EXPECT_EQ(r.given, e.given);
  EXPECT_EQ(r.not_given, e.not_given);
  EXPECT_EQ(r.vectors, e.vectors);
  EXPECT_TRUE(std::signbit(r.vectors[1].z()));
  EXPECT_EQ(r.turns[0].coeffs(), e.turns[0].coeffs());
  EXPECT_EQ(r.indices, e.indices);
  EXPECT_TRUE(r.empty.empty());
  EXPECT_EQ(r.grains, e.grains);
}

TEST_F(Archives, AppearOnlyWhenComplete) {
  {
    Archive io = Archive::to_write(path_, kind);
    example().visit(io);
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".tmp"));
}

TEST_F(Archives, RejectEveryDamagedByte) {
  write(example());
  std::ifstream stream(path_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t at = 0; at < whole.size(); at += at < 512 ? 1 : 97) {
    if (at < 512 && whole[at] == '\0') continue;  // the rest of the text
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(path_, std::ios::binary) << damaged;
    EXPECT_NE(refusal(kind), "") << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{512}, whole.size() - 1}) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_NE(refusal(kind), "") << size;
  }
}

TEST_F(Archives, RejectOtherKindsVersionsAndMembers) {
  write(example());
  EXPECT_NE(refusal({"scree other", 3}).find("it is not a scree other"), std::string::npos);
  EXPECT_NE(refusal({"scree example", 4}).find("format version 3, but this program reads 4"),
            std::string::npos);
  Archive io = Archive::to_read(path_, kind);
  std::vector<float> floats;
  EXPECT_THROW(io("number", floats), ReadError);  // doubles are not floats
  std::vector<Vec3> vectors;
  EXPECT_THROW(io("empty", vectors), ReadError);
  double number = 0.0;
  EXPECT_THROW(io("vectors", number), ReadError);
  EXPECT_THROW(io("nothing", number), ReadError);
}

}  // namespace scree::io
