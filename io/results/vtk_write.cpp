#include "io/results/vtk_write.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <vtkCallbackCommand.h>
#include <vtkExecutive.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLPolyDataWriter.h>

#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/results/vtk_collection.h"

namespace scree::io {

namespace {

/// Keeps the first of several messages: the others follow from it.
void keep_message(vtkObject*, unsigned long, void* text, void* message) {
  std::string& kept = *static_cast<std::string*>(text);
  if (message != nullptr && kept.empty()) kept = static_cast<const char*>(message);
}

/// Made by the kind of data: "vti" or "vtp".
vtkSmartPointer<vtkXMLWriter> make_writer(vtkDataObject* data) {
  if (vtkImageData::SafeDownCast(data)) return vtkSmartPointer<vtkXMLImageDataWriter>::New();
  return vtkSmartPointer<vtkXMLPolyDataWriter>::New();
}

}  // namespace

void write_vtk(const std::filesystem::path& path, vtkDataObject* data) {
  const auto writer = make_writer(data);
  writer->SetInputData(data);
  writer->SetFileName(path.c_str());
  // Inline base64: VTK 9.1 cannot read appended data, raw or base64, when it runs on an Expat that defers
  // parsing (2.6, and 2.5.0 as distributions patch it; VTK issue 19258). LZ4 makes files a third smaller and
  // writing no slower.
  writer->SetDataModeToBinary();
  writer->SetHeaderTypeToUInt64();
  writer->SetCompressorTypeToLZ4();
  // With an observer VTK does not print its errors: they travel in the exception.
  std::string message;
  vtkNew<vtkCallbackCommand> observer;
  observer->SetCallback(keep_message);
  observer->SetClientData(&message);
  writer->AddObserver("ErrorEvent", observer);
  writer->GetExecutive()->AddObserver("ErrorEvent", observer);
  errno = 0;
  const bool written = writer->Write() == 1 && writer->GetErrorCode() == 0;
  if (written) return;
  const std::string reason = errno != 0        ? std::strerror(errno)
                             : message.empty() ? "VTK gives no reason"
                                               : message;
  throw WriteError(fmt::format("cannot write {}: {}", path.string(), reason));
}

void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const auto& [time, file] : files) {
    text += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", time, file);
  }
  write_whole_file(path, text + "  </Collection>\n</VTKFile>\n");
}

}  // namespace scree::io
