// Content of an HDF5 file in memory. Tests change it into content that no program would write.
#pragma once

#include <map>
#include <span>

#include "io/files/hdf5_content.h"

namespace scree::test {

/// One array: numbers or texts, in the order of the file.
struct MemoryArray {
  io::hdf5::Content content;
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

using MemoryObjects = std::map<io::hdf5::Place, MemoryArray>;

/// All content of a sound file.
MemoryObjects objects_of(const std::string& path);

/// Changes objects according to the bytes: removes one, or changes its shape, type or value. The same bytes
/// make the same changes.
void change(MemoryObjects& objects, std::span<const std::uint8_t> bytes);

/// Answers as the library does: values exist if the array has as many as it claims.
class MemoryContent final : public io::hdf5::ContentSource {
 public:
  explicit MemoryContent(MemoryObjects objects) : objects_(std::move(objects)) {}
  io::hdf5::Content look(const io::hdf5::Place& place) override;
  void read(const io::hdf5::Place& place, const io::hdf5::Box& box, io::hdf5::Element element,
            const Room& room) override;
  std::vector<std::string> texts(const io::hdf5::Place& place) override;

 private:
  MemoryObjects objects_;
};

}  // namespace scree::test
