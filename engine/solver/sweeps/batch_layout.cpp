#include "engine/solver/sweeps/batch_layout.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>

#include "engine/core/parallel.h"
#include "engine/solver/problem/rank_share.h"
#include "engine/solver/sweeps/interface_order.h"
#include "engine/solver/sweeps/lanes.h"

namespace scree {

namespace {

/// Approximate number of contacts per subdomain, if bodies have not been cut. The number of subdomains
/// follows from it, never from threads. Fewer contacts than the second number form one subdomain.
constexpr std::size_t contacts_a_subdomain = 3072, contacts_undivided = 1024;

std::uint8_t kind_of(const ContactProblem& p, const Batches& b, std::size_t c) {
  const bool active = p.begins_active.empty() ? p.start_impulse[c][0] > 0.0f : p.begins_active[c] != 0;
  return contact_kind(active, !b.first_row.empty() && b.first_row[c] >= 0);
}

// Values in `subdomain_of` of bodies.
constexpr std::int32_t unknown = -1, of_several = -2;

/// Divides bodies into ranges with about equal numbers of contacts, each counted at its body a.
void cut_by_contacts(const ContactProblem& p, std::vector<std::int32_t>& first) {
  const std::size_t n = p.contacts(), subdomains = std::max<std::size_t>(2, n / contacts_a_subdomain);
  first.clear();
  for (std::size_t k = 0; k < subdomains; ++k) first.push_back(p.edge[k * n / subdomains].a);
  std::sort(first.begin(), first.end());  // they are in order, if contacts are ordered by key
  std::int32_t last = 0;
  for (const Edge& edge : p.edge) last = std::max(last, edge.a);
  first.front() = 0;
  first.push_back(last + 1);
}

/// Are edges ordered by body a, as in a state?
bool are_ordered(const std::vector<Edge>& edge) {
  return edge.empty() || reduce_blocks(
                             edge.size() - 1, grain_light, true,
                             [&](const Block& block) {
                               for (std::size_t c = block.begin; c < block.end; ++c)
                                 if (edge[c].a > edge[c + 1].a) return false;
                               return true;
                             },
                             [](bool left, bool right) { return left && right; });
}

/// Assigns bodies to subdomains, and contacts by their body a. Bodies that are only partners, such as
/// boundaries, are assigned to the subdomain of their contacts.
void divide(const ContactProblem& p, Batches& b) {
  static thread_local std::vector<std::int32_t> own;  // kept from call to call
  const bool is_whole =
      (p.first_body.empty() ? p.contacts() < contacts_undivided : p.first_body.size() <= 2) ||
      !are_ordered(p.edge);
  if (!is_whole && p.first_body.empty()) cut_by_contacts(p, own);
  const std::vector<std::int32_t>& first = p.first_body.empty() ? own : p.first_body;
  const std::size_t subdomains = is_whole ? 1 : first.size() - 1;
  // Parts of machines are of every rank, also of one that has no bodies besides.
  const bool is_foreign = p.share != nullptr && is_whole && !p.share->owns(0);
  const std::int32_t ghosts = p.first_body.empty() ? 0 : p.first_body.back();
  const std::size_t end_body = is_foreign ? static_cast<std::size_t>(ghosts) : p.bodies();
  b.subdomain.assign(subdomains, {{}, 0, end_body});
  b.first_contact.assign(subdomains + 1, 0);
  b.first_contact.back() = p.contacts();
  if (is_whole) return;
  resize_with_room(b.subdomain_of, p.bodies());
  for_each_index(subdomains, 1, [&](std::size_t k) {
    b.subdomain[k].first_body = static_cast<std::size_t>(first[k]);
    b.subdomain[k].end_body = static_cast<std::size_t>(first[k + 1]);
    std::fill(b.subdomain_of.begin() + first[k], b.subdomain_of.begin() + first[k + 1],
              static_cast<std::int32_t>(k));
    b.first_contact[k] =
        static_cast<std::size_t>(std::ranges::lower_bound(p.edge, first[k], {}, &Edge::a) - p.edge.begin());
  });
  const std::int32_t end = first.back();
  std::fill(b.subdomain_of.begin() + end, b.subdomain_of.end(), unknown);
  for_each_index(subdomains, 1, [&](std::size_t k) {
    const auto home = static_cast<std::int32_t>(k);
    for (std::size_t c = b.first_contact[k]; c < b.first_contact[k + 1]; ++c) {
      if (p.edge[c].b < end) continue;
      const std::atomic_ref of_b(b.subdomain_of[p.b(c)]);  // in any order: one subdomain, or several
      std::int32_t was = unknown;
      if (!of_b.compare_exchange_strong(was, home, std::memory_order_relaxed) && was != home)
        of_b.store(of_several, std::memory_order_relaxed);
    }
  });
}

/// Is a contact, whose body a is in this subdomain, at its interface?
bool is_between(const ContactProblem& p, const Batches& b, std::size_t subdomain, std::size_t c) {
  return b.subdomain.size() > 1 && b.subdomain_of[p.b(c)] != static_cast<std::int32_t>(subdomain);
}

/// Lists the contacts in the order of colouring: subdomain by subdomain, first its own, then
/// those of its interface.
void order_contacts(const ContactProblem& p, Batches& b) {
  constexpr std::size_t kinds = 4, first_idle = 2;
  const std::size_t subdomains = b.subdomain.size();
  resize_with_room(b.kind, p.contacts());
  resize_with_room(b.order, p.contacts());
  b.group.resize(2 * subdomains);
  for_each_index(subdomains, 1, [&](std::size_t s) {
    std::array<std::size_t, 2 * kinds + 1> next{};  // [at the interface?][kind], and the total
    const std::size_t begin = b.first_contact[s], end = b.first_contact[s + 1];
    const auto place = [&](std::size_t c) { return (is_between(p, b, s, c) ? kinds : 0) + b.kind[c]; };
    for (std::size_t c = begin; c < end; ++c) {
      b.kind[c] = kind_of(p, b, c);
      ++next[place(c)];
    }
    std::exclusive_scan(next.begin(), next.end(), next.begin(), begin);
    for (const bool between : {false, true}) {
      const std::size_t* const of_kind = &next[between ? kinds : 0];
      Batches::Group& group = b.group[(between ? subdomains : 0) + s];
      group.first_contact = of_kind[0];
      group.idle_contact = of_kind[first_idle];
      group.contacts = of_kind[kinds] - of_kind[0];
    }
    for (std::size_t c = begin; c < end; ++c) b.order[next[place(c)]++] = static_cast<std::int32_t>(c);
  });
}

std::span<const std::int32_t> contacts_of(const Batches& b, const Batches::Group& group) {
  return {b.order.data() + group.first_contact, group.contacts};
}

/// Gives contacts [begin, end) of the order, which form a group, the first colour that neither of their
/// bodies has; counts those of each colour.
void colour(const ContactProblem& p, std::size_t begin, std::size_t end, Batches::Group& group, Batches& b) {
  for (std::size_t k = begin; k < end; ++k) {
    const std::int32_t c = b.order[k];
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

std::size_t end_of(const Batches::Group& group) { return group.first_contact + group.contacts; }

/// [subdomain] those in which its interface changes bodies. The number of subdomains represents bodies of
/// several.
void list_neighbours(const ContactProblem& p, Batches& b) {
  const std::size_t subdomains = b.subdomain.size();
  if (b.neighbour.size() < subdomains) b.neighbour.resize(subdomains);
  for_each_index(subdomains, 1, [&](std::size_t home) {
    std::vector<std::int32_t>& of = b.neighbour[home];
    of.clear();
    const Batches::Group& group = b.group[subdomains + home];
    if (group.contacts > 0) of.push_back(static_cast<std::int32_t>(home));
    for (const std::int32_t c : contacts_of(b, group)) {
      const std::int32_t of_b = b.subdomain_of[p.b(c)],
                         other = of_b >= 0 ? of_b : static_cast<std::int32_t>(subdomains);
      if (other != of.back() && std::ranges::find(of, other) == of.end()) of.push_back(other);
    }
  });
}

/// Order in which interfaces are coloured: [subdomain] level, after all that share a body with it and
/// have a smaller hash (Jones, Plassmann 1993, with subdomains for vertices). Interfaces of one level share
/// no subdomain, and so no body. Returns the number of levels.
std::int32_t rank_homes(Batches& b) {
  const std::size_t subdomains = b.subdomain.size();
  static thread_local std::vector<std::uint64_t> scratch;  // kept from call to call
  static thread_local std::vector<std::int32_t> order, last;
  order_by_hash(subdomains, scratch, order);
  last.assign(subdomains + 1, -1);  // [subdomain, and all of several] last level that touches it
  b.level.assign(subdomains, -1);
  std::int32_t levels = 0;
  for (const std::int32_t number : order) {
    const auto home = static_cast<std::size_t>(number);
    if (b.neighbour[home].empty()) continue;
    std::int32_t level = -1;
    for (const std::int32_t other : b.neighbour[home]) level = std::max(level, last[other]);
    b.level[home] = ++level;
    for (const std::int32_t other : b.neighbour[home]) last[other] = level;
    levels = std::max(levels, level + 1);
  }
  return levels;
}

/// Colours the interface: contacts with an impulse first, level by level.
void colour_interface(const ContactProblem& p, Batches& b) {
  const std::size_t subdomains = b.subdomain.size();
  if (subdomains == 1) {
    b.group[1].count.fill(0);
    return;
  }
  if (p.share != nullptr) {  // the whole problem has coloured them
    for (std::size_t k = 0; k < subdomains; ++k) {
      Batches::Group& group = b.group[subdomains + k];
      group.count.fill(0);
      for (const std::int32_t c : contacts_of(b, group)) ++group.count[b.colour[c] = p.share->colour[c]];
    }
    return;
  }
  for (std::size_t k = 0; k < subdomains; ++k) b.group[subdomains + k].count.fill(0);
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) { b.taken[i] = 0; });
  list_neighbours(p, b);
  const std::int32_t levels = rank_homes(b);
  static thread_local std::vector<std::int32_t> home, first;  // by level; kept from call to call
  first.assign(static_cast<std::size_t>(levels) + 2, 0);
  for (const std::int32_t level : b.level)
    if (level >= 0) ++first[level + 2];
  for (std::size_t k = 2; k < first.size(); ++k) first[k] += first[k - 1];
  home.resize(subdomains);
  for (std::size_t k = 0; k < subdomains; ++k)
    if (b.level[k] >= 0) home[first[b.level[k] + 1]++] = static_cast<std::int32_t>(k);
  const std::int32_t* const homes = home.data();  // worker threads have vectors of their own
  for (const bool idle : {false, true}) {
    for (std::int32_t level = 0; level < levels; ++level) {
      const std::int32_t begin = first[level];
      for_each_index(static_cast<std::size_t>(first[level + 1] - begin), 1, [&, begin](std::size_t k) {
        Batches::Group& group =
            b.group[subdomains + static_cast<std::size_t>(homes[begin + static_cast<std::int32_t>(k)])];
        colour(p, idle ? group.idle_contact : group.first_contact, idle ? end_of(group) : group.idle_contact,
               group, b);
      });
    }
  }
}

/// Batches of the contacts of a colour: the serial rest has one contact per batch.
std::size_t batches_of(const Batches::Group& group, std::size_t colour) {
  const std::size_t contacts = group.count[colour];
  return colour == parallel_colours ? contacts : (contacts + batch_size - 1) / batch_size;
}

/// Numbers the batches of all groups: of each subdomain by colour, then of the interface colour by colour, by
/// home. Returns the number of rows, including those of empty lanes.
std::size_t number_batches(const ContactProblem& p, Batches& b) {
  const std::size_t subdomains = b.subdomain.size();
  std::size_t batch = 0, empty = p.bodies();
  for (std::size_t g = 0; g < subdomains; ++g) {
    Batches::Group& group = b.group[g];
    group.first_batch = batch;
    group.first_empty = empty;
    for (std::size_t colour = 0; colour < group.count.size(); ++colour) batch += batches_of(group, colour);
    empty += batch_size * (batch - group.first_batch) - group.contacts;
    static_cast<BatchRange&>(b.subdomain[g]) = {group.first_batch, batch};
  }
  b.colours = 0;
  for (std::size_t colour = 0; colour <= parallel_colours; ++colour) {
    const std::size_t first = batch;
    if (b.interface.size() == b.colours) b.interface.emplace_back();
    BatchPhase& phase = b.interface[b.colours];
    phase.of_home.resize(subdomains);
    for (std::size_t k = 0; k < subdomains; ++k) {  // serial ones in the order of the whole problem
      const std::size_t home = p.share == nullptr || p.share->by_place.empty()
                                   ? k
                                   : static_cast<std::size_t>(p.share->by_place[k]);
      const std::size_t begin = batch;
      batch += batches_of(b.group[subdomains + home], colour);
      phase.of_home[home] = {begin, batch};
    }
    static_cast<BatchRange&>(phase) = {first, batch};
    phase.colour = colour;
    phase.serial = colour == parallel_colours;
    if (batch > first) ++b.colours;
  }
  for (std::size_t home = 0; home < subdomains; ++home) {
    Batches::Group& group = b.group[subdomains + home];
    group.first_empty = empty;
    std::size_t lanes = 0;
    for (std::size_t colour = 0; colour < group.count.size(); ++colour)
      lanes += batch_size * batches_of(group, colour);
    empty += lanes - group.contacts;
  }
  b.lane.clear();  // so that nothing is copied
  resize_with_room(b.lane, batch_size * batch);
  resize_with_room(b.contact, batch);
  return empty;
}

/// Assigns the contacts of a group to lanes, starting at these batches for each colour, with the places of
/// their bodies. The rows of an empty lane are its own, so that no other lane shares what is written.
void fill_lanes(const ContactProblem& p, const Batches::Group& group,
                const std::array<std::size_t, 64>& first_batch, Batches& b) {
  std::array<std::size_t, 64> next{};
  for (std::size_t colour = 0; colour < group.count.size(); ++colour) {
    next[colour] = batch_size * first_batch[colour];
    std::fill_n(b.lane.begin() + static_cast<std::ptrdiff_t>(next[colour]),
                batch_size * batches_of(group, colour), -1);
  }
  for (const std::int32_t c : contacts_of(b, group)) {
    const std::uint8_t colour = b.colour[c];
    b.lane[next[colour]] = c;
    next[colour] += colour == parallel_colours ? batch_size : 1;
  }
  std::size_t empty = group.first_empty;
  for (std::size_t colour = 0; colour < group.count.size(); ++colour) {
    const std::size_t begin = batch_size * first_batch[colour],
                      end = begin + batch_size * batches_of(group, colour);
    for (std::size_t k = begin; k < end; ++k) {
      ContactBatch& to = b.contact[k / batch_size];
      const std::int32_t c = b.lane[k];
      to.a[k % batch_size] = row_bytes(c < 0 ? empty : p.a(c));
      to.b[k % batch_size] = row_bytes(c < 0 ? empty : p.b(c));
      if (c < 0) ++empty;
    }
  }
}

/// Fills the lanes of a subdomain, and of the interface with its home there.
void fill_lanes_of(const ContactProblem& p, std::size_t subdomain, Batches& b) {
  std::array<std::size_t, 64> first{};
  const Batches::Group& inner = b.group[subdomain];
  for (std::size_t colour = 0, batch = inner.first_batch; colour < first.size(); ++colour) {
    first[colour] = batch;
    batch += batches_of(inner, colour);
  }
  fill_lanes(p, inner, first, b);
  const Batches::Group& outer = b.group[b.subdomain.size() + subdomain];
  for (const BatchPhase& phase : b.phases()) first[phase.colour] = phase.home(subdomain).begin;
  fill_lanes(p, outer, first, b);
}

}  // namespace

bool are_laid_out(const ContactProblem& p, const Batches& b) {
  if (b.subdomain.empty() || p.bodies() != b.bodies || p.contacts() != b.kind.size() ||
      p.first_body != b.first_body || (p.share != nullptr) != b.is_share ||
      (b.is_share && p.share->by_place != b.by_place))
    return false;
  const std::size_t first_between = batch_size * b.subdomain.back().end;
  return reduce_blocks(
      b.contact.size(), batch_grain, true,
      [&](const Block& block) {
        for (std::size_t k = batch_size * block.begin; k < batch_size * block.end; ++k) {
          if (b.lane[k] < 0) continue;
          const std::size_t c = b.lane[k], l = k % batch_size;
          const ContactBatch& batch = b.contact[k / batch_size];
          if (batch.a[l] != row_bytes(p.a(c)) || batch.b[l] != row_bytes(p.b(c)) ||
              b.kind[c] != kind_of(p, b, c) ||
              (b.is_share && k >= first_between && b.colour[c] != p.share->colour[c]))
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
  for_each_index(b.subdomain.size(), 1, [&](std::size_t g) {
    Batches::Group& group = b.group[g];
    group.count.fill(0);
    for (const std::int32_t c : contacts_of(b, group)) b.taken[p.a(c)] = b.taken[p.b(c)] = 0;
    colour(p, group.first_contact, end_of(group), group, b);
  });
  colour_interface(p, b);
  const std::size_t rows = number_batches(p, b);
  for_each_index(b.subdomain.size(), 1, [&](std::size_t g) { fill_lanes_of(p, g, b); });
  for (std::vector<Lanes>* const of_bodies : {&b.factor, &b.change, &b.last})
    resize_with_room(*of_bodies, rows);
  std::fill(b.factor.begin() + static_cast<std::ptrdiff_t>(p.bodies()), b.factor.end(), Lanes{});
  b.bodies = p.bodies();
  b.first_body = p.first_body;
  b.is_share = p.share != nullptr;
  if (b.is_share) b.by_place = p.share->by_place;
}

void list_partners(const ContactProblem& p, Batches& b) {
  b.partner.clear();
  for (std::size_t i = b.subdomain.back().end_body; i < p.bodies(); ++i)
    if (p.is_moved(i)) b.partner.push_back(i);
}

}  // namespace scree
