// SPDX-License-Identifier: BSD-3-Clause
// Planes of circles: see rings.hpp.
#include "mapping/tools/rings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Of a form that would be the same at all points: 0 for circles, 0.6 and more for points that fill
// a square, a ball or any cloud.
constexpr double kHardly = 0.4;

struct Eigen {
  std::vector<double> value;  // ascending
  Matrix vector;              // in the order of the values
};

// Whether what is beside the diagonal is next to nothing by comparison.
bool is_diagonal(const Matrix& a) {
  constexpr double next_to_nothing = 1e-24;  // of the squares
  double on = 0;
  double beside = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) (i == j ? on : beside) += a[i][j] * a[i][j];
  }
  return beside <= next_to_nothing * on;
}

// Of a small symmetric matrix, by Jacobi's rotations.
Eigen eigen(Matrix a) {
  constexpr int sweeps = 30;  // half a dozen do, nearly always
  const std::size_t n = a.size();
  Matrix v(n, std::vector<double>(n, 0));  // columns are eigenvectors
  for (std::size_t i = 0; i < n; ++i) v[i][i] = 1;
  const auto rotate = [n](Matrix& m, std::size_t p, std::size_t q, double c, double s) {
    for (std::size_t k = 0; k < n; ++k) {
      const double x = m[k][p];
      const double y = m[k][q];
      m[k][p] = c * x - s * y;
      m[k][q] = s * x + c * y;
    }
  };
  for (int sweep = 0; sweep < sweeps && !is_diagonal(a); ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        rotate(a, p, q, c, s);
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p][k];
          const double y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        rotate(v, p, q, c, s);
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return a[i][i] < a[j][j]; });
  Eigen result;
  for (const std::size_t i : order) {
    result.value.push_back(a[i][i]);
    auto& vector = result.vector.emplace_back();
    for (std::size_t k = 0; k < n; ++k) vector.push_back(v[k][i]);
  }
  return result;
}

// A quadratic form as a vector: products of coordinates, those of different ones times the root of
// two, so that lengths are those of matrices.
std::vector<double> products(const std::vector<double>& at) {
  std::vector<double> result;
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = a; b < at.size(); ++b) {
      result.push_back(at[a] * at[b] * (a == b ? 1 : std::sqrt(2.0)));
    }
  }
  return result;
}
Matrix form_of(const std::vector<double>& vector, std::size_t axes) {
  Matrix form(axes, std::vector<double>(axes, 0));
  std::size_t i = 0;
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t b = a; b < axes; ++b) {
      form[a][b] = form[b][a] = vector[i++] / (a == b ? 1 : std::sqrt(2.0));
    }
  }
  return form;
}

// How products of coordinates vary together over the points.
Matrix covariance_of_products(const std::vector<Coordinates>& axes) {
  const std::size_t points = axes.front().size();
  const std::size_t size = axes.size() * (axes.size() + 1) / 2;
  Matrix sums(size, std::vector<double>(size, 0));
  std::vector<double> means(size, 0);
  std::vector<double> at(axes.size());
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t a = 0; a < axes.size(); ++a) at[a] = axes[a][i];
    const std::vector<double> p = products(at);
    for (std::size_t a = 0; a < size; ++a) {
      means[a] += p[a];
      for (std::size_t b = a; b < size; ++b) sums[a][b] += p[a] * p[b];
    }
  }
  const auto count = static_cast<double>(points);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = a; b < size; ++b) {
      sums[a][b] = sums[b][a] = sums[a][b] / count - means[a] / count * means[b] / count;
    }
  }
  return sums;
}

// The variance of the form that two directions make up.
double unevenness(const Matrix& covariance, const std::vector<double>& x,
                  const std::vector<double>& y) {
  std::vector<double> form = products(x);
  const std::vector<double> other = products(y);
  for (std::size_t i = 0; i < form.size(); ++i) form[i] = (form[i] + other[i]) / std::sqrt(2.0);
  double sum = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    for (std::size_t j = 0; j < form.size(); ++j) sum += form[i] * covariance[i][j] * form[j];
  }
  return sum;
}

}  // namespace

Rings find_rings(const std::vector<Coordinates>& axes) {
  constexpr int trials = 8;
  Rings best;
  if (axes.size() < 2) return best;
  const Matrix covariance = covariance_of_products(axes);
  const Eigen forms = eigen(covariance);
  const auto circles = static_cast<std::size_t>(
      std::lower_bound(forms.value.begin(), forms.value.end(), kHardly) - forms.value.begin());
  if (circles == 0 || 2 * circles > axes.size()) return best;
  RandomSource random(1);
  double least = kHardly;
  for (int trial = 0; trial < trials; ++trial) {
    // Any mixture of the forms has every plane of a circle as a pair of equal eigenvalues; those of
    // two circles may happen to be alike.
    std::vector<double> mixture(forms.value.size(), 0);
    for (std::size_t form = 0; form < circles; ++form) {
      const double share = random.unit() - 0.5;
      for (std::size_t i = 0; i < mixture.size(); ++i) mixture[i] += share * forms.vector[form][i];
    }
    const Eigen planes = eigen(form_of(mixture, axes.size()));
    Rings found;
    double worst = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double here = i + 1 < axes.size()
                              ? unevenness(covariance, planes.vector[i], planes.vector[i + 1])
                              : HUGE_VAL;
      if (here < kHardly) {
        found.planes.push_back({planes.vector[i], planes.vector[i + 1]});
        worst = std::max(worst, here);
        ++i;
      } else {
        found.rest.push_back(planes.vector[i]);
      }
    }
    if (found.planes.size() != circles || worst >= least) continue;
    least = worst;
    best = std::move(found);
  }
  return best;
}

}  // namespace tofa
