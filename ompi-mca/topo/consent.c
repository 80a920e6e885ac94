// SPDX-License-Identifier: BSD-3-Clause
// See consent.h.
#include "consent.h"

#include <stddef.h>

static void answer_those_ready(struct consent* consent) {
  for (int other = 0; other < consent->others; ++other) {
    if (consent_is_ready(consent, other)) {
      consent->answer(consent->context, other, consent->verdict == CONSENT_ALL);
    }
  }
}

void consent_begin(struct consent* consent, int others, unsigned char* told,
                   void (*answer)(void* context, int other, bool all), void* context) {
  *consent = (struct consent){.others = others, .told = told, .answer = answer, .context = context};
  for (int other = 0; other < others && told != NULL; ++other) told[other] = false;
  if (others == 0) {
    consent->verdict = CONSENT_ALL;
  } else if (told == NULL) {
    consent->verdict = CONSENT_NOT_ALL;
  }
}

void consent_ready(struct consent* consent, int other) {
  if (consent_is_ready(consent, other)) return;
  if (consent->told != NULL) consent->told[other] = true;
  ++consent->ready;
  if (consent->verdict == CONSENT_NOT_ALL) {
    consent->answer(consent->context, other, false);
  } else if (consent->ready == consent->others) {
    consent->verdict = CONSENT_ALL;
    answer_those_ready(consent);
  }
}

void consent_give_up(struct consent* consent) {
  if (consent->verdict != CONSENT_OPEN) return;
  consent->verdict = CONSENT_NOT_ALL;
  answer_those_ready(consent);
}

bool consent_is_ready(const struct consent* consent, int other) {
  return consent->told != NULL && consent->told[other];
}
