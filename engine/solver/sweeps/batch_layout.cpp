#include "engine/solver/sweeps/batch_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "engine/core/parallel.h"
#include "engine/solver/sweeps/lanes.h"

namespace scree {

namespace {

/// Contacts of a subdomain, about: enough that few are left at the interface, and few enough that a cache
/// holds their bodies. Their number makes subdomains, never that of threads. Fewer contacts than this make
/// one.
constexpr std::size_t contacts_a_subdomain = 3072, contacts_undivided = 1024;
/// Contacts of the interface that are coloured together, for the same reason.
constexpr std::size_t window = 32768;
constexpr int parallel_colours = 63;  // colour 63 is the serial rest

/// In which order contacts are coloured: those that carried an impulse first, so that the others, which
/// mostly stay idle, are together; so are those that resist torques.
std::uint8_t kind_of(const ContactProblem& p, const Batches& b, std::size_t c) {
  const bool resists = !b.first_row.empty() && b.first_row[c] >= 0;
  if (p.start_impulse[c][0] > 0.0f) return resists ? 0 : 1;
  return resists ? 3 : 2;
}

// Of bodies, in `subdomain_of`.
constexpr std::int32_t unknown = -1, of_several = -2;

/// Cuts bodies into ranges whose contacts, each counted where its body a is, are about as many. What is only
/// a partner, as boundaries are, is where its contacts are.
void divide(const ContactProblem& p, Batches& b) {
  const std::size_t n = p.contacts();
  const std::size_t subdomains =
      n < contacts_undivided ? 1 : std::max<std::size_t>(2, n / contacts_a_subdomain);
  b.subdomain.assign(subdomains, {{}, 0, p.bodies()});
  if (subdomains == 1) return;
  static thread_local std::vector<std::int32_t> first;  // [subdomain] body; kept from call to call
  first.resize(subdomains);
  for (std::size_t k = 0; k < subdomains; ++k) first[k] = p.edge[k * n / subdomains].a;
  std::sort(first.begin(), first.end());  // they are, of contacts that are ordered by key
  std::int32_t last = 0;
  for (const Edge& edge : p.edge) last = std::max(last, edge.a);
  for (std::size_t k = 0; k < subdomains; ++k) {
    b.subdomain[k].first_body = k == 0 ? 0 : first[k];
    b.subdomain[k].end_body = (k + 1 < subdomains ? first[k + 1] : last + 1);
  }
  resize_with_room(b.subdomain_of, p.bodies());
  for (std::size_t k = 0; k < subdomains; ++k)
    std::fill(b.subdomain_of.begin() + static_cast<std::ptrdiff_t>(b.subdomain[k].first_body),
              b.subdomain_of.begin() + static_cast<std::ptrdiff_t>(b.subdomain[k].end_body),
              static_cast<std::int32_t>(k));
  std::fill(b.subdomain_of.begin() + last + 1, b.subdomain_of.end(), unknown);
  for (const Edge& edge : p.edge) {
    std::int32_t& of_b = b.subdomain_of[edge.b];
    if (edge.b <= last || of_b == of_several) continue;
    const std::int32_t of_a = b.subdomain_of[edge.a];
    of_b = of_b == unknown || of_b == of_a ? of_a : of_several;
  }
}

/// Calls f(c, group) for every contact.
template <class F>
void for_grouped_contacts(const ContactProblem& p, const Batches& b, F&& f) {
  const std::size_t subdomains = b.subdomain.size();
  std::size_t between = 0;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    if (subdomains == 1) {
      f(c, std::size_t{0});
      continue;
    }
    const std::int32_t of_a = b.subdomain_of[p.a(c)], of_b = b.subdomain_of[p.b(c)];
    f(c, of_a == of_b && of_a >= 0 ? of_a : subdomains + between++ / window);
  }
}

/// Lists the contacts in the order in which they are coloured, group by group.
void order_contacts(const ContactProblem& p, Batches& b) {
  constexpr std::size_t kinds = 4;
  resize_with_room(b.kind, p.contacts());
  static thread_local std::vector<std::size_t> next;  // kept from call to call
  next.assign(kinds * b.subdomain.size(), 0);
  for_grouped_contacts(p, b, [&](std::size_t c, std::size_t group) {
    if (next.size() <= kinds * group) next.resize(kinds * (group + 1));
    ++next[kinds * group + (b.kind[c] = kind_of(p, b, c))];
  });
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
  b.group.resize(next.size() / kinds);
  for (std::size_t g = 0; g < b.group.size(); ++g) {
    b.group[g].first_contact = next[kinds * g];
    b.group[g].contacts = (g + 1 < b.group.size() ? next[kinds * (g + 1)] : p.contacts()) - next[kinds * g];
  }
  resize_with_room(b.order, p.contacts());
  for_grouped_contacts(p, b, [&](std::size_t c, std::size_t group) {
    b.order[next[kinds * group + b.kind[c]]++] = static_cast<std::int32_t>(c);
  });
}

std::span<const std::int32_t> contacts_of(const Batches& b, const Batches::Group& group) {
  return {b.order.data() + group.first_contact, group.contacts};
}

/// Gives every contact of a group the first colour that none of its bodies has; counts the contacts of each.
void colour_group(const ContactProblem& p, Batches::Group& group, Batches& b) {
  group.count.fill(0);
  const std::span<const std::int32_t> contacts = contacts_of(b, group);
  for (const std::int32_t c : contacts) b.taken[p.a(c)] = b.taken[p.b(c)] = 0;
  for (const std::int32_t c : contacts) {
    std::uint64_t &of_a = b.taken[p.a(c)], &of_b = b.taken[p.b(c)];
    const int colour = std::min(parallel_colours, std::countr_one(of_a | of_b));
    if (colour < parallel_colours) {
      of_a |= std::uint64_t{1} << colour;
      of_b |= std::uint64_t{1} << colour;
    }
    b.colour[c] = static_cast<std::uint8_t>(colour);
    ++group.count[colour];
  }
}

/// Batches of the contacts of a colour: the serial rest has one a batch.
std::size_t batches_of(const Batches::Group& group, std::size_t colour) {
  const std::size_t contacts = group.count[colour];
  return colour == parallel_colours ? contacts : (contacts + batch_size - 1) / batch_size;
}

/// Numbers the batches of all groups, and the rows of their empty lanes; returns how many rows there are.
std::size_t number_batches(const ContactProblem& p, Batches& b) {
  std::size_t batch = 0, empty = p.bodies();
  b.interface.clear();
  for (std::size_t g = 0; g < b.group.size(); ++g) {
    Batches::Group& group = b.group[g];
    group.first_batch = batch;
    group.first_empty = empty;
    for (std::size_t colour = 0; colour < group.count.size(); ++colour) {
      const std::size_t first = batch;
      batch += batches_of(group, colour);
      if (g >= b.subdomain.size() && batch > first)
        b.interface.push_back({{first, batch}, colour == parallel_colours});
    }
    empty += batch_size * (batch - group.first_batch) - group.contacts;
    if (g < b.subdomain.size()) static_cast<BatchRange&>(b.subdomain[g]) = {group.first_batch, batch};
  }
  b.lane.clear();  // so that nothing is copied
  resize_with_room(b.lane, batch_size * batch);
  resize_with_room(b.contact, batch);
  return empty;
}

/// Puts the contacts of a group into lanes, colour by colour, and says where their bodies are. Rows of an
/// empty lane are its own, so that nobody shares what is written.
void fill_lanes(const ContactProblem& p, const Batches::Group& group, Batches& b) {
  std::array<std::size_t, 64> next{};
  std::size_t batch = group.first_batch;
  for (std::size_t colour = 0; colour < group.count.size(); ++colour) {
    next[colour] = batch_size * batch;
    batch += batches_of(group, colour);
  }
  std::fill(b.lane.begin() + static_cast<std::ptrdiff_t>(batch_size * group.first_batch),
            b.lane.begin() + static_cast<std::ptrdiff_t>(batch_size * batch), -1);
  for (const std::int32_t c : contacts_of(b, group)) {
    const std::uint8_t colour = b.colour[c];
    b.lane[next[colour]] = c;
    next[colour] += colour == parallel_colours ? batch_size : 1;
  }
  std::size_t empty = group.first_empty;
  for (std::size_t k = batch_size * group.first_batch; k < batch_size * batch; ++k) {
    ContactBatch& to = b.contact[k / batch_size];
    const std::int32_t c = b.lane[k];
    to.a[k % batch_size] = row_bytes(c < 0 ? empty : p.a(c));
    to.b[k % batch_size] = row_bytes(c < 0 ? empty : p.b(c));
    if (c < 0) ++empty;
  }
}

}  // namespace

bool are_laid_out(const ContactProblem& p, const Batches& b) {
  if (b.subdomain.empty() || p.bodies() != b.bodies || p.contacts() != b.kind.size()) return false;
  return reduce_blocks(
      b.contact.size(), batch_grain, true,
      [&](const Block& block) {
        for (std::size_t k = batch_size * block.begin; k < batch_size * block.end; ++k) {
          if (b.lane[k] < 0) continue;
          const std::size_t c = b.lane[k], l = k % batch_size;
          const ContactBatch& batch = b.contact[k / batch_size];
          if (batch.a[l] != row_bytes(p.a(c)) || batch.b[l] != row_bytes(p.b(c)) ||
              b.kind[c] != kind_of(p, b, c))
            return false;
        }
        return true;
      },
      [](bool left, bool right) { return left && right; });
}

void lay_out(const ContactProblem& p, Batches& b) {
  divide(p, b);
  order_contacts(p, b);
  resize_with_room(b.taken, p.bodies());
  resize_with_room(b.colour, p.contacts());
  for_each_index(b.subdomain.size(), 1, [&](std::size_t g) { colour_group(p, b.group[g], b); });
  for (std::size_t g = b.subdomain.size(); g < b.group.size(); ++g) colour_group(p, b.group[g], b);
  const std::size_t rows = number_batches(p, b);
  for_each_index(b.group.size(), 1, [&](std::size_t g) { fill_lanes(p, b.group[g], b); });
  for (std::vector<Lanes>* const of_bodies : {&b.factor, &b.change, &b.last})
    resize_with_room(*of_bodies, rows);
  std::fill(b.factor.begin() + static_cast<std::ptrdiff_t>(p.bodies()), b.factor.end(), Lanes{});
  b.bodies = p.bodies();
}

void list_partners(const ContactProblem& p, Batches& b) {
  b.partner.clear();
  for (std::size_t i = b.subdomain.back().end_body; i < p.bodies(); ++i)
    if (p.is_moved(i)) b.partner.push_back(i);
}

}  // namespace scree
