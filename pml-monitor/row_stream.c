// SPDX-License-Identifier: BSD-3-Clause
// See row_stream.h. A run: sender, 1 if it is the first, 2 if it is of another set than
// PARTNERS_OURS, 0 otherwise; then in the first the total of rows and what is omitted, and the
// time, or the set; the number of rows, and the rows: distance from the rank before, a bit for each
// kind of which there are messages, and of these kinds bytes and messages.
#include "row_stream.h"

enum { MORE_ROWS, FIRST_ROWS, ROWS_BESIDE };

enum { NUMBER_MOST = 10, ROW_MOST = NUMBER_MOST * (2 + 2 * TRAFFIC_KINDS), ROWS_AT_ONCE = 64 };

static uint8_t* put(uint8_t* at, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = (uint8_t)(number | 0x80);
  *at++ = (uint8_t)number;
  return at;
}

static uint8_t* put_row(uint8_t* at, const struct partner_row* row, uint64_t before) {
  at = put(at, row->rank - before);
  uint64_t kinds = 0;
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    if (row->messages[kind] > 0) kinds |= UINT64_C(1) << kind;
  }
  at = put(at, kinds);
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    if (row->messages[kind] == 0) continue;
    at = put(at, row->bytes[kind]);
    at = put(at, row->messages[kind]);
  }
  return at;
}

// How many rows fit; their bytes, counted as if they were written.
static uint64_t rows_that_fit(const struct stream_source* source, uint64_t next, size_t room) {
  uint8_t scratch[ROW_MOST];
  uint64_t rows = 0, before = 0;
  for (size_t used = 0; next + rows < source->count; ++rows) {
    const struct partner_row* row = &source->rows[next + rows];
    used += (size_t)(put_row(scratch, row, before) - scratch);
    if (used > room) break;
    before = row->rank;
  }
  return rows;
}

size_t row_stream_encode(uint8_t* out, size_t room, const struct stream_source* source,
                         bool started, uint64_t* next) {
  if (room < STREAM_RUN_MOST) return 0;
  uint8_t* at = put(out, source->sender);
  bool beside = source->set != PARTNERS_OURS;
  at = put(at, beside ? ROWS_BESIDE : started ? MORE_ROWS : FIRST_ROWS);
  if (beside) {
    at = put(at, source->set);
  } else if (!started) {
    at = put(at, source->count + source->beside);
    at = put(at, source->omitted.messages);
    at = put(at, source->omitted.bytes);
    at = put(at, source->omitted.ways);
    at = put(at, source->time.run);
    at = put(at, source->time.mpi);
    at = put(at, source->time.calls);
  }
  uint64_t rows = rows_that_fit(source, *next, room - (size_t)(at - out) - NUMBER_MOST);
  at = put(at, rows);
  uint64_t before = 0;
  for (uint64_t i = 0; i < rows; ++i) {
    const struct partner_row* row = &source->rows[(*next)++];
    at = put_row(at, row, before);
    before = row->rank;
  }
  return (size_t)(at - out);
}

struct reader {
  const uint8_t* at;
  const uint8_t* end;
  bool good;
};

static uint64_t take(struct reader* reader) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (reader->at == reader->end) break;
    uint8_t byte = *reader->at++;
    if (shift == 63 && byte > 1) break;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  reader->good = false;
  return 0;
}

static bool take_row(struct reader* reader, uint32_t ranks, uint64_t* before,
                     struct partner_row* row) {
  uint64_t distance = take(reader);
  if (distance >= ranks || *before + distance >= ranks) return false;
  *before += distance;
  *row = (struct partner_row){.rank = *before};
  uint64_t kinds = take(reader);
  if (kinds >> TRAFFIC_KINDS != 0) return false;
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    if ((kinds >> kind & 1) == 0) continue;
    row->bytes[kind] = take(reader);
    row->messages[kind] = take(reader);
  }
  return reader->good;
}

static bool take_run(struct reader* reader, uint32_t ranks, stream_visit_fn visit, void* context) {
  struct stream_run run = {0};
  uint64_t sender = take(reader), kind = take(reader);
  if (!reader->good || sender >= ranks || kind > ROWS_BESIDE) return false;
  run.sender = (uint32_t)sender;
  run.first = kind == FIRST_ROWS;
  if (kind == ROWS_BESIDE) {
    run.set = take(reader);
    bool job = partners_are_of_a_job(run.set);
    if (!job && run.set != PARTNERS_ESTIMATED && run.set != PARTNERS_DECLARED) return false;
    if (job) ranks = UINT32_MAX;  // which may be larger
  }
  if (run.first) {
    run.total_rows = take(reader);
    run.omitted.messages = take(reader);
    run.omitted.bytes = take(reader);
    run.omitted.ways = (uint32_t)take(reader);
    run.time.run = take(reader);
    run.time.mpi = take(reader);
    run.time.calls = take(reader);
  }
  uint64_t left = take(reader), before = 0;
  if (!reader->good || left > ranks) return false;
  struct partner_row rows[ROWS_AT_ONCE] = {0};
  do {
    size_t count = left < ROWS_AT_ONCE ? (size_t)left : ROWS_AT_ONCE;
    for (size_t i = 0; i < count; ++i) {
      if (!take_row(reader, ranks, &before, &rows[i])) return false;
    }
    if (!visit(context, &run, rows, count)) return false;
    run.first = false;
    left -= count;
  } while (left > 0);
  return true;
}

bool row_stream_decode(const uint8_t* bytes, size_t size, uint32_t ranks, stream_visit_fn visit,
                       void* context) {
  struct reader reader = {.at = bytes, .end = bytes + size, .good = true};
  while (reader.at != reader.end) {
    if (!take_run(&reader, ranks, visit, context)) return false;
  }
  return true;
}
