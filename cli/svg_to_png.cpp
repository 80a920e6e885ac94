// SPDX-License-Identifier: BSD-3-Clause
// librsvg draws, cairo writes the PNG.
#include "svg_to_png.hpp"

#include "tofa/error.hpp"

#ifdef TOFA_HAVE_RSVG

#include <cairo.h>
#include <librsvg/rsvg.h>

#include <memory>

namespace tofa::cli {
namespace {

constexpr double kPixelsPerUnit = 2;

template <auto Release>
struct Releaser {
  template <typename Object>
  void operator()(Object* object) const {
    Release(object);
  }
};

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorKind::unavailable, "cannot draw the PNG: " + why + "; write .svg instead");
}

cairo_status_t append(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

[[noreturn]] void fail_with(GError* error) {
  const std::string why = error != nullptr ? error->message : "unknown error";
  g_clear_error(&error);
  fail(why);
}

}  // namespace

std::string svg_to_png(const std::string& svg) {
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, Releaser<g_object_unref>> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (!handle) fail_with(error);
  double width = 0;
  double height = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height)) fail("no size");
  const RsvgRectangle viewport{0, 0, width * kPixelsPerUnit, height * kPixelsPerUnit};
  const std::unique_ptr<cairo_surface_t, Releaser<cairo_surface_destroy>> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(viewport.width),
                                 static_cast<int>(viewport.height)));
  const std::unique_ptr<cairo_t, Releaser<cairo_destroy>> context(cairo_create(surface.get()));
  if (!rsvg_handle_render_document(handle.get(), context.get(), &viewport, &error)) {
    fail_with(error);
  }
  std::string png;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) fail(cairo_status_to_string(status));
  return png;
}

}  // namespace tofa::cli

#else

namespace tofa::cli {

std::string svg_to_png(const std::string& /*svg*/) {
  throw Error(ErrorKind::unavailable,
              "built without PNG support (librsvg and cairo); write .svg instead");
}

}  // namespace tofa::cli

#endif
