#include "run/seatbelt_orders.h"

#include <string_view>

#include "base/archive.h"

namespace mxc {
namespace {

template <class Archive, class AnyOrders>
void VisitOrders(Archive& archive, AnyOrders& orders) {
  archive(orders.profile);
  archive(orders.parameters);
  archive(orders.argv);
  archive(orders.environment);
  archive(orders.cwd);
  archive(orders.limits);
  archive(orders.take_terminal);
}

}  // namespace

static void Visit(ArchiveWriter& archive, const SeatbeltParameter& parameter) {
  archive(parameter.name);
  archive(parameter.value);
}
static void Visit(ArchiveReader& archive, SeatbeltParameter& parameter) {
  archive(parameter.name);
  archive(parameter.value);
}

std::string Pack(const SeatbeltOrders& orders) {
  ArchiveWriter archive;
  VisitOrders(archive, orders);
  return archive.Take();
}

Result<SeatbeltOrders> Unpack(const std::string& bytes) {
  SeatbeltOrders orders;
  ArchiveReader archive(bytes);
  VisitOrders(archive, orders);
  if (archive.Ended() && !orders.argv.empty()) return orders;
  return Error{.code = ErrorCode::kInternal,
               .message = "the orders of the sandbox's first process are broken"};
}

std::string MovedTemp(const std::string& value, const std::string& directory) {
  constexpr std::string_view kTemp = "/tmp";
  const bool below = value.starts_with(kTemp) && (value.size() == kTemp.size() || value[kTemp.size()] == '/');
  return below ? directory + value.substr(kTemp.size()) : value;
}

}  // namespace mxc
