// SPDX-License-Identifier: BSD-3-Clause
// The picture as SVG: see picture_svg.hpp. Wires of one load class are one path, so that machines
// of hundreds of nodes still make small documents.
#include "picture/picture_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "picture/svg_text.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

constexpr double kMargin = 24;
constexpr double kPanelGap = 36;
constexpr double kLeastPanelWidth = 380;
constexpr double kHeadHeight = 62;  // title of the picture
constexpr double kPanelHead = 66;   // title and figures of a panel
constexpr double kLegendRow = 30;
constexpr double kNoteRow = 18;

// Light to dark, so that the order shows in grey and to the colour-blind too. The first is for
// links without load.
constexpr std::array<const char*, 6> kLoadColours = {"#d5dae1", "#f7c46c", "#ee8f3b",
                                                     "#d5483f", "#971f60", "#420a4a"};
constexpr std::size_t kLoadClasses = kLoadColours.size() - 1;
constexpr double kIdleWireWidth = 1.4;

enum class Fate { sound, suspect, dead };

// The node of a box that is worst off decides how the box looks.
double worst_probability(const Box& box, const OutageMap& outages) {
  double worst = 0;
  for (const Node node : box.nodes) worst = std::max(worst, outages.probability(node));
  return worst;
}

Fate fate_of(const Box& box, const OutageMap& outages) {
  const double p = worst_probability(box, outages);
  if (p >= 1) return Fate::dead;
  return p > 0 ? Fate::suspect : Fate::sound;
}

// A coordinate with at most one decimal.
double tidy(double value) {
  return std::round(value * 10) / 10;
}

class PictureWriter : SvgText {
 public:
  PictureWriter(const Picture& picture, const OutageMap& outages)
      : picture_(picture), layout_(picture.layout), outages_(outages) {
    for (const Panel* panel : {&picture.before, &picture.after}) {
      for (const Wire& wire : layout_.wires) {
        most_load_ = std::max(most_load_, load_of(wire, panel->state));
      }
    }
    for (const Box& box : layout_.boxes) {
      suspects_ |= fate_of(box, outages) == Fate::suspect;
      dead_ |= fate_of(box, outages) == Fate::dead;
      numbers_ |= label_of(box, picture.before.state).starts_with("×") ||
                  label_of(box, picture.after.state).starts_with("×");
    }
    panel_width_ = std::max(layout_.width, kLeastPanelWidth);
  }

  std::string write() {
    const double width = 2 * kMargin + 2 * panel_width_ + kPanelGap;
    const double legend = kHeadHeight + kPanelHead + layout_.height + 30;
    const double height =
        legend + 2 * kLegendRow + kNoteRow * static_cast<double>(layout_.notes.size()) + kMargin;
    print(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
        "sans-serif\" font-size=\"12\" fill=\"#1f2933\">\n",
        width, height);
    print("<title>{}</title>\n<desc>{}</desc>\n", escape_xml(picture_.title),
          escape_xml(summary()));
    write_definitions();
    print("<rect width=\"{:.0f}\" height=\"{:.0f}\" rx=\"8\" fill=\"#fff\"/>\n", width, height);
    write_text({kMargin, 36}, picture_.title, "font-size=\"19\" font-weight=\"bold\"");
    const double second = kMargin + panel_width_ + kPanelGap;
    print("<path stroke=\"#d5dae1\" d=\"M{0} {1}V{2}\"/>\n", second - kPanelGap / 2, kHeadHeight,
          legend - 26);
    write_panel(picture_.before, {kMargin, kHeadHeight});
    write_panel(picture_.after, {second, kHeadHeight});
    write_legend(legend);
    print("</svg>\n");
    return text();
  }

 private:
  void write_text(Point at, const std::string& text, std::string_view attributes) {
    print("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", tidy(at.x), tidy(at.y), attributes,
          escape_xml(text));
  }

  std::string amount(double value) const {
    return picture_.bytes ? human_bytes(value) : fmt::format("{:.4g}", value);
  }

  std::string busiest(const Metrics& metrics) const {
    return "busiest link " + amount(metrics.max_link_load) +
           (picture_.unlike ? " as on the fastest" : "");
  }

  std::string label_of(const Box& box, const MachineState& state) const {
    return rank_label(ranks_in(box, state), layout_.label_characters);
  }

  // For those who cannot see the picture.
  std::string summary() const {
    const auto figures = [&](const Panel& panel) {
      const Metrics& metrics = panel.state.metrics;
      return fmt::format("{}: {:.3g} hops per byte, {}, abort probability {:.3g}.", panel.title,
                         metrics.average_hops_per_byte, busiest(metrics),
                         metrics.abort_probability);
    };
    return figures(picture_.before) + " " + figures(picture_.after);
  }

  void write_definitions() {
    if (!dead_) return;
    print(
        "<defs><pattern id=\"dead\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fff\"/><rect "
        "width=\"2\" height=\"6\" fill=\"#b3bac4\"/></pattern></defs>\n");
  }

  void write_panel(const Panel& panel, Point corner) {
    const Metrics& metrics = panel.state.metrics;
    write_text({corner.x, corner.y + 16}, panel.title, "font-size=\"15\" font-weight=\"bold\"");
    write_text({corner.x, corner.y + 35},
               fmt::format("{:.3g} hops per {}, {}", metrics.average_hops_per_byte,
                           picture_.bytes ? "byte" : "message", busiest(metrics)),
               "fill=\"#52606d\"");
    write_text({corner.x, corner.y + 51},
               fmt::format("{} nodes in use, abort probability {:.3g}", metrics.nodes_used,
                           metrics.abort_probability),
               "fill=\"#52606d\"");
    print("<g transform=\"translate({} {})\">\n",
          tidy(corner.x + (panel_width_ - layout_.width) / 2), tidy(corner.y + kPanelHead));
    write_rails();
    write_wires(panel.state);
    write_captions();
    for (const Point& hole : layout_.holes) {
      print("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"#9aa5b1\"/>\n", tidy(hole.x), tidy(hole.y));
    }
    for (const Box& box : layout_.boxes) write_box(box, panel.state);
    print("</g>\n");
  }

  void write_rails() {
    if (layout_.rails.empty()) return;
    print(
        "<path fill=\"none\" stroke=\"#7b8794\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"",
        tidy(rail_width(layout_.wire_width)));
    for (const auto& [from, to] : layout_.rails) {
      print("M{} {}L{} {}", tidy(from.x), tidy(from.y), tidy(to.x), tidy(to.y));
    }
    print("\"/>\n");
  }

  // 0 without load, then 1 to kLoadClasses in equal steps up to the busiest link of both panels.
  std::size_t load_class(double load) const {
    if (load <= 0) return 0;
    const double part = std::ceil(load / most_load_ * kLoadClasses - 1e-9);
    return std::clamp(static_cast<std::size_t>(part), std::size_t{1}, kLoadClasses);
  }

  double wire_width(std::size_t load_class) const {
    if (load_class == 0) return kIdleWireWidth;
    const double least = 2.2;
    return least +
           (layout_.wire_width - least) * static_cast<double>(load_class - 1) / (kLoadClasses - 1);
  }

  void write_wires(const MachineState& state) {
    std::array<std::string, kLoadClasses + 1> paths;
    for (const Wire& wire : layout_.wires) {
      paths[load_class(load_of(wire, state))] += fmt::format(
          "M{} {}L{} {}", tidy(wire.from.x), tidy(wire.from.y), tidy(wire.to.x), tidy(wire.to.y));
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].empty()) continue;
      print("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n", kLoadColours[i],
            tidy(wire_width(i)), paths[i]);
    }
  }

  void write_captions() {
    print("<g font-size=\"11\" fill=\"#52606d\">\n");
    for (const Caption& caption : layout_.captions) {
      const char* anchor = caption.anchor == Anchor::middle ? "text-anchor=\"middle\""
                           : caption.anchor == Anchor::end  ? "text-anchor=\"end\""
                                                            : "text-anchor=\"start\"";
      write_text(caption.at, caption.text, anchor);
    }
    print("</g>\n");
  }

  void write_box(const Box& box, const MachineState& state) {
    const std::vector<Rank> ranks = ranks_in(box, state);
    const double p = worst_probability(box, outages_);
    std::string words = box.name;
    if (box.nodes.size() > 1) words += fmt::format(" ({} nodes)", box.nodes.size());
    words += ranks.empty()
                 ? ": no rank"
                 : fmt::format(": rank{} {}", ranks.size() == 1 ? "" : "s", list_ranks(ranks));
    if (p > 0) words += fmt::format("; outage probability {:.3g}", p);
    print("<g><title>{}</title>\n", escape_xml(words));
    draw_box(box.centre, label_of(box, state), name_for(box), fate_of(box, outages_));
    print("</g>\n");
  }

  // Where boxes are large enough, they say what they are called.
  std::string name_for(const Box& box) const {
    const bool room = layout_.box_height >= 36 &&
                      static_cast<double>(box.name.size()) * 5.6 <= layout_.box_width - 4;
    return room ? box.name : "";
  }

  void draw_box(Point centre, const std::string& label, const std::string& name, Fate fate) {
    const double width = layout_.box_width;
    const double height = layout_.box_height;
    const bool dead = fate == Fate::dead;
    const bool used = !label.empty();
    const char* fill = dead ? "url(#dead)" : used ? "#2f5f94" : "#fff";
    const char* ink = dead || !used ? "#1f2933" : "#fff";
    const char* outline = fate == Fate::sound ? (used ? "#1d4268" : "#9aa5b1") : "#111";
    print(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" stroke=\"{}\" "
        "stroke-width=\"{}\"{}/>\n",
        tidy(centre.x - width / 2), tidy(centre.y - height / 2), width, height, fill, outline,
        fate == Fate::sound ? "1" : "2", fate == Fate::suspect ? " stroke-dasharray=\"4 3\"" : "");
    // On hatching, text needs a ground of its own.
    const char* ground =
        dead
            ? " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\" stroke-linejoin=\"round\""
            : "";
    if (used) {
      const double drop = name.empty() ? layout_.font_size * 0.36 : 0;
      write_text({centre.x, centre.y + drop}, label,
                 fmt::format("text-anchor=\"middle\" font-size=\"{}\" font-weight=\"bold\" "
                             "fill=\"{}\"{}",
                             layout_.font_size, ink, ground));
    }
    if (!name.empty()) {
      write_text({centre.x, centre.y + (used ? 13 : 4)}, name,
                 fmt::format("text-anchor=\"middle\" font-size=\"10\" fill=\"{}\"{}",
                             used ? ink : "#52606d", ground));
    }
    draw_mark(centre, fate);
  }

  // A cross in a disc for dead nodes, a triangle for suspect ones, at the corner where the fewest
  // wires end.
  void draw_mark(Point centre, Fate fate) {
    const double x = tidy(centre.x - layout_.box_width / 2 + 1);
    const double y = tidy(centre.y - layout_.box_height / 2 + 1);
    const double r = layout_.font_size > 11 ? 8 : 6;
    if (fate == Fate::dead) {
      print("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#111\" stroke=\"#fff\"/>\n", x, y, r);
      print("<path stroke=\"#fff\" stroke-width=\"2\" d=\"M{0} {1}l{2} {2}m0 {3}l{3} {2}\"/>\n",
            tidy(x - r * 0.42), tidy(y - r * 0.42), tidy(r * 0.84), tidy(-r * 0.84));
    } else if (fate == Fate::suspect) {
      print(
          "<path fill=\"#ffd84d\" stroke=\"#111\" stroke-width=\"1.2\" stroke-linejoin=\"round\" "
          "d=\"M{0} {1}l{2} {3}h{4}z\"/>\n",
          x, tidy(y - r), r, tidy(r * 1.8), -2 * r);
      print("<path stroke=\"#111\" stroke-width=\"1.6\" d=\"M{0} {1}v{2}m0 1.6v1.8\"/>\n", x,
            tidy(y - r * 0.45), tidy(r * 0.6));
    }
  }

  void write_legend(double y) {
    double x = kMargin + 6;
    const auto entry = [&](const std::string& label, Fate fate, const std::string& words) {
      // Legends are drawn with boxes of the picture's own size, but never huge ones.
      draw_box({x + layout_.box_width / 2, y + 8}, label, "", fate);
      x += layout_.box_width + 8;
      write_text({x, y + 12}, words, "");
      x += 6.2 * static_cast<double>(words.size()) + 22;
    };
    entry("7", Fate::sound, "rank 7 runs on this node");
    if (numbers_) entry("×4", Fate::sound, "four ranks do");
    entry("", Fate::sound, "idle node");
    if (suspects_) entry("", Fate::suspect, "suspect: may fail");
    if (dead_) entry("", Fate::dead, "dead: certain to fail");
    write_load_scale(y + kLegendRow + 14);
    double at = y + 2 * kLegendRow + 24;
    for (const std::string& note : layout_.notes) {
      write_text({kMargin, at}, note, "fill=\"#52606d\"");
      at += kNoteRow;
    }
  }

  void write_load_scale(double y) {
    write_text({kMargin, y + 4},
               picture_.bytes ? "Bytes over a link:" : "Messages over a link:", "");
    const double first = kMargin + 136;
    const double step = (2 * panel_width_ + kPanelGap - 136) / (kLoadClasses + 1);
    for (std::size_t i = 0; i <= kLoadClasses; ++i) {
      if (i > 0 && most_load_ <= 0) break;
      const double x = first + step * static_cast<double>(i);
      print("<path stroke=\"{}\" stroke-width=\"{}\" d=\"M{} {}h24\"/>\n", kLoadColours[i],
            tidy(wire_width(i)), tidy(x), tidy(y));
      write_text(
          {x + 30, y + 4},
          i == 0 ? "none" : "≤ " + amount(most_load_ * static_cast<double>(i) / kLoadClasses), "");
    }
  }

  const Picture& picture_;
  const Layout& layout_;
  const OutageMap& outages_;
  double most_load_ = 0;
  double panel_width_ = 0;
  bool suspects_ = false;
  bool dead_ = false;
  bool numbers_ = false;  // whether some labels are numbers of ranks
};

}  // namespace

std::string picture_svg(const Picture& picture, const OutageMap& outages) {
  return PictureWriter(picture, outages).write();
}

}  // namespace tofa::cli
