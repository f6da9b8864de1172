// Scenes that change their nature: a part of the suite `auto`.
#ifndef BENCH_NATURE_H
#define BENCH_NATURE_H

#include "core/bench.h"

void nature_expect(const bench_options *options, bench_session *session);
void nature_run(const bench_options *options, bench_session *session);
void nature_summary(const bench_options *options, bench_session *session);

#endif
