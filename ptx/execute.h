/* What instructions do: one function a kind. See execute_fn. */
#pragma once

#include "ptx/program.h"

execute_fn execute_lanes, execute_division, execute_float, execute_half, execute_convert,
    execute_convert_pair;
execute_fn execute_compare_pair, execute_set_pair;
execute_fn execute_compare, execute_select, execute_select_predicate, execute_set, execute_slct,
    execute_predicates, execute_pack, execute_unpack, execute_clock, execute_carry, execute_test;
execute_fn execute_load, execute_store, execute_atomic, execute_address, execute_space_test, execute_nothing;
execute_fn execute_branch, execute_table_branch, execute_call, execute_return, execute_exit, execute_barrier,
    execute_warp_barrier, execute_trap, execute_fence;
execute_fn execute_shuffle, execute_vote, execute_match, execute_active, execute_reduce, execute_elect;
