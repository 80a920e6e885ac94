// SPDX-License-Identifier: BSD-3-Clause
// The ports of daemons that strangers talk to.
#pragma once

#include "common/address.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

// Before it is bound: [::] is all addresses of both kinds, whatever the system's default is.
void accept_both_kinds(const FileDescriptor& socket, const SocketAddress& where);

// A listening socket that does not block. Throws tofa::Error when the address is not to be had.
FileDescriptor listen_on(const SocketAddress& where);

// The next connection, which does not block either, and where it comes from. None: see errno,
// EAGAIN where nobody waits.
FileDescriptor accept_from(const FileDescriptor& listener, SocketAddress& from);

}  // namespace tofa::health
