#include "io/problems/hdf5_source.h"

#include "engine/core/errors.h"

namespace scree::io {

void fail(const std::string& path, const std::string& key, const std::string& problem) {
  throw InputError({{{path, 0, 0}, key, problem, "", "", "", ""}});
}

Source::Source(const std::filesystem::path& path) : path_(path.string()) {
  attempt("file", [&] { file_ = hdf5::File(path); });
}

bool Source::has_attribute(const std::string& name) const {
  return attempt(name, [&] { return file_.has_attribute("", name); });
}

bool Source::has(const std::string& name) const {
  return attempt(name, [&] { return file_.has(name); });
}

double Source::number(const std::string& name) const {
  return attempt(name, [&] { return file_.number_attribute("", name); });
}

std::string Source::text(const std::string& name) const {
  return attempt(name, [&] { return file_.text_attribute("", name); });
}

std::uint64_t Source::values(const std::string& name) const {
  std::uint64_t values = 1;
  for (const std::uint64_t n : attempt(name, [&] { return file_.dimensions(name); })) {
    if (__builtin_mul_overflow(values, n, &values)) fail(path_, name, "states more values than are possible");
  }
  return values;
}

std::string Source::text_dataset(const std::string& name) const {
  const std::vector<std::string> texts = attempt(name, [&] { return file_.texts(name); });
  if (texts.size() != 1) fail(path_, name, "must be one text");
  return texts.front();
}

}  // namespace scree::io
