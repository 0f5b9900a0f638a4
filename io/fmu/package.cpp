#include "io/fmu/package.h"

#include <fmt/format.h>
#include <list>
#include <memory>
#include <scree_embedded.h>
#include <zip.h>

#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/files/text_file.h"
#include "io/fmu/description.h"

namespace scree::io {

namespace {

/// An archive that is complete when it is closed; before that, no file has its name.
class Zip {
 public:
  explicit Zip(const std::filesystem::path& path) : path_(path) {
    int code = 0;
    archive_.reset(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (archive_) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw WriteError(fmt::format("cannot write {}: {}", path.string(), reason));
  }

  void add(const std::string& name, std::string bytes) {
    constexpr time_t moment = 315619200;    // 1980-01-02, after the format's earliest date in any time zone
    constexpr zip_uint32_t mode = 0100644;  // a file that its owner may write
    kept_.push_back(std::move(bytes));
    zip_source_t* const source =
        zip_source_buffer(archive_.get(), kept_.back().data(), kept_.back().size(), 0);
    if (source == nullptr) fail();
    const zip_int64_t index = zip_file_add(archive_.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail();
    }
    const auto at = static_cast<zip_uint64_t>(index);
    if (zip_file_set_mtime(archive_.get(), at, moment, 0) != 0 ||
        zip_file_set_external_attributes(archive_.get(), at, 0, ZIP_OPSYS_UNIX, mode << 16) != 0)
      fail();
  }

  void close() {
    if (zip_close(archive_.get()) != 0) fail();
    static_cast<void>(archive_.release());
  }

 private:
  [[noreturn]] void fail() {
    throw WriteError(fmt::format("cannot write {}: {}", path_.string(), zip_strerror(archive_.get())));
  }

  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  std::filesystem::path path_;
  std::list<std::string> kept_;  // read when the archive is closed
  std::unique_ptr<zip_t, Discard> archive_;
};

std::string bytes_of(const std::filesystem::path& file) {
  std::string problem;
  std::optional<std::string> bytes = read_bytes(file, problem);
  if (!bytes) throw ReadError(fmt::format("{} cannot be read: {}", file.string(), problem));
  return std::move(*bytes);
}

}  // namespace

void write_fmu(const Scene& scene, const std::vector<Variable>& variables,
               const std::filesystem::path& library, const std::filesystem::path& output) {
  const auto files = files_of(scene);
  Zip zip(output);
  zip.add("modelDescription.xml", model_description(scene, variables));
  zip.add(fmt::format("binaries/linux64/{}.so", model_identifier(scene.name)), bytes_of(library));
  zip.add("documentation/licenses/LICENSE", std::string(scree_license));
  zip.add(std::string("resources/") + fmu_scene_name, scene.text);
  for (const auto& [name, input] : files) {
    std::string bytes = bytes_of(input.path);
    if (crc32_of(bytes) != input.crc32)
      throw ReadError(fmt::format("{} has changed since the scene was read", input.path.string()));
    zip.add("resources/" + name, std::move(bytes));
  }
  zip.close();
}

}  // namespace scree::io
