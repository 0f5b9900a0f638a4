#include "io/results/numpy_fields.h"

#include <bit>
#include <fmt/format.h>
#include <string>

#include "io/files/text_file.h"

namespace scree::io {

namespace {

/// The format's version 1.0: magic, version, length of the header, a dict in Python's notation, padded with
/// blanks so that numbers begin at a multiple of 64 bytes.
std::string npy_header(const std::string& dict) {
  constexpr std::size_t before = 10, alignment = 64;
  const std::size_t used = before + dict.size() + 1, whole = (used + alignment - 1) / alignment * alignment;
  const std::size_t length = whole - before;
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xff);
  header += static_cast<char>(length >> 8);
  return header + dict + std::string(whole - used, ' ') + '\n';
}

void put(std::string& bytes, double x) {
  static_assert(std::endian::native == std::endian::little);
  bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
}
void put(std::string& bytes, const Vec3& v) {
  for (int k = 0; k < 3; ++k) put(bytes, v[k]);
}
void put(std::string& bytes, const Mat3& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) put(bytes, m(i, j));
}

}  // namespace

void write_numpy_fields(const std::filesystem::path& path, const Grid& grid, const CoarseFields& fields) {
  const auto& [nx, ny, nz] = grid.count;
  std::string bytes = npy_header(fmt::format(
      "{{'descr': [('centre', '<f8', (3,)), ('density', '<f8'), ('solid_fraction', '<f8'), "
      "('velocity', '<f8', (3,)), ('granular_temperature', '<f8'), ('kinetic_stress', '<f8', (3, 3)), "
      "('contact_stress', '<f8', (3, 3)), ('pressure', '<f8')], 'fortran_order': False, 'shape': ({}, {}, "
      "{})}}",
      nz, ny, nx));
  std::size_t c = 0;
  for (std::size_t k = 0; k < nz; ++k)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t i = 0; i < nx; ++i, ++c) {
        const Vec3 at(static_cast<double>(i) + 0.5, static_cast<double>(j) + 0.5,
                      static_cast<double>(k) + 0.5);
        put(bytes, Vec3(grid.low + grid.edges * at));
        put(bytes, fields.density[c]);
        put(bytes, fields.solid_fraction[c]);
        put(bytes, fields.velocity[c]);
        put(bytes, fields.temperature[c]);
        put(bytes, fields.kinetic_stress[c]);
        put(bytes, fields.contact_stress[c]);
        put(bytes, (fields.kinetic_stress[c].trace() + fields.contact_stress[c].trace()) / 3.0);
      }
  write_whole_file(path, bytes);
}

}  // namespace scree::io
