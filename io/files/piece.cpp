#include "io/files/piece.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "io/files/packed_chunk.h"
#include "io/files/vtk_file.h"

namespace scree::io {

namespace {

void append(const Piece& piece, Bytes& message) {
  scree::append(piece.kind, message);
  scree::append(piece.element, message);
  scree::append(piece.is_packed, message);
  append_list(std::span<const std::byte>(piece.bytes), message);
}

Piece take(BytesReader& message) {
  Piece piece;
  piece.kind = message.take<Piece::Kind>();
  piece.element = message.take<std::uint32_t>();
  piece.is_packed = message.take<bool>();
  message.take_list(piece.bytes);
  return piece;
}

/// [piece] the rank that packs it: the largest first, each by the rank that has fewest bytes so far.
std::vector<std::size_t> shares(std::span<Piece* const> pieces, std::size_t ranks) {
  std::vector<std::size_t> order(pieces.size()), rank_of(pieces.size()), load(ranks, 0);
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t k) { return pieces[k]->bytes.size(); });
  for (const std::size_t k : order) {
    const auto rank = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    rank_of[k] = rank;
    load[rank] += pieces[k]->bytes.size();
  }
  return rank_of;
}

/// The pieces of a message, packed. One that cannot be packed here stays as it is.
Bytes packed_message(const Bytes& message) {
  Bytes answer;
  for (BytesReader reader(message); !reader.rest().empty();) {
    Piece piece = take(reader);
    try {
      pack(piece);
    } catch (const std::exception&) {  // rank 0 tries it, and reports the reason
    }
    append(piece, answer);
  }
  return answer;
}

}  // namespace

void pack(Piece& piece) {
  if (piece.is_packed) return;
  switch (piece.kind) {
    case Piece::Kind::hdf5_chunk:
      piece.bytes = hdf5::packed_chunk(piece.bytes, piece.element);
      break;
    case Piece::Kind::vtk_poly_data:
      piece.bytes = packed_poly_data(piece.bytes);
      break;
  }
  piece.is_packed = true;
}

void pack(Ranks& ranks, std::span<Piece* const> pieces) {
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<Bytes> to(count), back(count);
  if (ranks.rank() > 0) {
    back[0] = packed_message(ranks.exchange(std::move(to))[0]);
    ranks.exchange(std::move(back));
    return;
  }
  const std::vector<std::size_t> rank_of = shares(pieces, count);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (rank_of[k] == 0) continue;
    append(*pieces[k], to[rank_of[k]]);
    pieces[k]->bytes = {};
  }
  ranks.exchange(std::move(to));
  for (std::size_t k = 0; k < pieces.size(); ++k)
    if (rank_of[k] == 0) pack(*pieces[k]);
  const std::vector<Bytes> from = ranks.exchange(std::move(back));
  std::vector<BytesReader> readers(from.begin(), from.end());
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (rank_of[k] == 0) continue;
    *pieces[k] = take(readers[rank_of[k]]);
    pack(*pieces[k]);
  }
}

}  // namespace scree::io
