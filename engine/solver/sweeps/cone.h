// The cone of a rank: contacts at the interface that it updates, so that one exchange per sweep is enough.
#pragma once

#include <functional>
#include <span>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// A contact between subdomains, and its turn in a sweep: `turn` increases with the colour, and after the
/// last colour from contact to contact. Contacts of the same turn share no body.
struct InterfaceContact {
  Edge edge;
  std::uint32_t turn;
};

/// [contact] 1: the rank updates it. The result of a body at the interface depends on its contacts there,
/// these depend on their bodies before, and so on down to bodies whose contacts all come later: a cone of
/// contacts, each with a lower turn than the one that needs it. `needed` is scratch, [body]. Cost linear
/// in the contacts and turns.
std::vector<std::uint8_t> cone_of(std::span<const InterfaceContact> contacts,
                                  const std::function<bool(std::int32_t)>& is_own,
                                  std::vector<std::uint32_t>& needed);

}  // namespace scree
