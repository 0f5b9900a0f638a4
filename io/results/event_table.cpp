#include "io/results/event_table.h"

#include <fmt/format.h>
#include <iterator>

namespace scree::io {

EventTable::EventTable(const std::filesystem::path& path, const std::vector<Event>& events, std::int64_t at)
    : events_(events),
      rows_(path, "step,time_s,event,quantity,value,actions,instant_s,count,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s",
            at) {}

void EventTable::append(const Happening& h) {
  const Event& event = events_[h.event];
  fmt::format_to(std::back_inserter(rows_.pending()), "{},{},{},{},{},{},{},{}", h.step, h.time_s,
                 csv_field(event.name), csv_field(event.condition.quantity), h.value,
                 csv_field(event.actions.text), h.instant_s, h.count);
  if (h.body_twist) {
    const Vec3 &x = h.body_position, &v = h.body_twist->linear;
    fmt::format_to(std::back_inserter(rows_.pending()), ",{},{},{},{},{},{}\n", x[0], x[1], x[2], v[0], v[1],
                   v[2]);
  } else {
    rows_.pending() += ",,,,,,\n";
  }
  rows_.end_row();
}

}  // namespace scree::io
