/* Two sources, two keyed sums, one aligned checkpoint: every order in which
 * records, barriers and crashes can come, without coordinator, messages to it,
 * sinks and attempt numbers. Written by hand and on its own, so that the number
 * of states that SPIN finds can be held against the number that checkdam finds.
 *
 *   spin -a -DR=4 -DF=0 aligned.pml
 *   cc -O2 -DNOREDUCE -DSAFETY -o pan pan.c
 *   ./pan -m1000000
 *
 * R: records of each source. F: crashes. A record's value is its place in its
 * source, from 1, plus the source's number: the sources begin with different
 * sums and take them in turns. */
#ifndef R
#define R 4
#endif
#ifndef F
#define F 0
#endif
#define CAPACITY 8
#define BARRIER 255
#define NONE 255

chan wire[4] = [CAPACITY] of { byte };  /* from source s to sum o: 2*s + o */
byte offset[2];                         /* records read */
byte source_snapshot[2] = { NONE, NONE };
byte sum[2];
byte sum_snapshot[2] = { NONE, NONE };
bit blocked[4];                         /* its barrier is there, another is not */
byte crashes;

inline read(s) {
  d_step {
    offset[s] < R && nfull(wire[2*s + (offset[s] + 1 + s) % 2]) ->
    wire[2*s + (offset[s] + 1 + s) % 2] ! (offset[s] + 1 + s);
    offset[s]++
  }
}

inline trigger(s) {
  d_step {
    source_snapshot[s] == NONE && nfull(wire[2*s]) && nfull(wire[2*s + 1]) ->
    source_snapshot[s] = offset[s];
    wire[2*s] ! BARRIER;
    wire[2*s + 1] ! BARRIER
  }
}

inline deliver(s, o) {
  d_step {
    nempty(wire[2*s + o]) && !blocked[2*s + o] ->
    wire[2*s + o] ? element;
    if
    :: element != BARRIER -> sum[o] = sum[o] + element
    :: element == BARRIER && !blocked[2*(1 - s) + o] -> blocked[2*s + o] = 1
    :: element == BARRIER && blocked[2*(1 - s) + o] ->
       blocked[2*(1 - s) + o] = 0;
       sum_snapshot[o] = sum[o]
    fi;
    element = 0
  }
}

inline clear(c) {
  do
  :: nempty(wire[c]) -> wire[c] ? element
  :: empty(wire[c]) -> break
  od;
  blocked[c] = 0
}

/* Back to the checkpoint if it is complete, else to the beginning. */
inline crash() {
  d_step {
    crashes < F ->
    crashes++;
    clear(0); clear(1); clear(2); clear(3);
    element = 0;
    if
    :: sum_snapshot[0] != NONE && sum_snapshot[1] != NONE ->
       offset[0] = source_snapshot[0]; offset[1] = source_snapshot[1];
       sum[0] = sum_snapshot[0]; sum[1] = sum_snapshot[1]
    :: else ->
       offset[0] = 0; offset[1] = 0;
       source_snapshot[0] = NONE; source_snapshot[1] = NONE;
       sum[0] = 0; sum[1] = 0;
       sum_snapshot[0] = NONE; sum_snapshot[1] = NONE
    fi
  }
}

active proctype cluster() {
  byte element;
end:
  do
  :: read(0)
  :: read(1)
  :: trigger(0)
  :: trigger(1)
  :: deliver(0, 0)
  :: deliver(0, 1)
  :: deliver(1, 0)
  :: deliver(1, 1)
  :: crash()
  od
}
