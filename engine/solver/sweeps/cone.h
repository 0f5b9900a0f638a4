// Which contacts at the interface a rank visits, so that one exchange a sweep is enough.
#pragma once

#include <functional>
#include <span>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// A contact between subdomains, and when a sweep comes to it: `turn` rises with the colour, and where
/// colours have run out from contact to contact. Contacts of the same turn share no body.
struct InterfaceContact {
  Edge edge;
  std::uint32_t turn;
};

/// [contact] 1: a rank visits it. What a body is after the interface follows from its contacts there, what
/// these give from both their bodies before, and so on to bodies whose contacts all come later: a cone of
/// contacts, each of a lower turn than the one that needs it. `needed` is scratch, [body]. Cost linear
/// in the contacts and turns.
std::vector<std::uint8_t> cone_of(std::span<const InterfaceContact> contacts,
                                  const std::function<bool(std::int32_t)>& is_own,
                                  std::vector<std::uint32_t>& needed);

}  // namespace scree
