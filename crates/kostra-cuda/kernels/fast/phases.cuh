// The rounds of a phase, and the phases of a solve: on rows and on an edge list.

#pragma once

// Replaces each label in from..to by the final number that it leads to.
template <class K>
__device__ void Solver<K>::label_components(u32 from, u32 to) {
    for (u32 x = from + warp * 32 + lane; x < to; x += warps * 32) {
        u32 y = scratch.link[x];
        while (y < FINAL) y = scratch.link[y];
        scratch.link[x] = y;
    }
}

// Starts a phase on the components that the last phase left.
template <class K>
__device__ void Solver<K>::start_phase() {
    level.count = read(phase.finals);
    level.base = level.base >= 3 * graph.vertices ? graph.vertices : 3 * graph.vertices;
    phase.base = level.base;
    few.least_at = 0;
    for (u32 i = warp * 32 + lane; i < level.count; i += warps * 32) clear_component(i);
    phase.finals = new_counter();
    sync(RESTART);
}

// Gives every vertex its final number of the phase, and starts the next phase. After an earlier
// phase, vertices have the final numbers of that phase.
template <class K>
__device__ void Solver<K>::next_phase() {
    u32 first_level = phase.base ? phase.base : graph.vertices;
    label_components(first_level, level.base);
    sync(LABEL);
    for (u32 v = warp * 32 + lane; v < graph.vertices; v += warps * 32) {
        u32 y = scratch.link[v];
        if (phase.base) y = scratch.link[phase.base + (y & ~FINAL)];
        while (y < FINAL) y = scratch.link[y];
        scratch.link[v] = y;
    }
    start_phase();
}

// Runs rounds until all lists are empty and, if labels are wanted, every component has its final
// number. Precondition: the light edges are candidates of this level. If there are heavy edges,
// which are set aside, they are `pending`.
template <class K>
__device__ void Solver<K>::rounds(bool labels_wanted, bool pending) {
    while (pending || (level.count && (lists.in_play || labels_wanted))) {
        bool goes_on = labels_wanted || pending, is_few = false;
        FinishInput finishing = FinishInput::NOTHING;
        Chain chain = lists.light;
        Labels labels = Labels::LINKED;
        Keep keep = Keep::ALL;
        u64 pivot = 0;
        if (level.count == 0) {
            // The light edges are done: a phase on the heavy ones.
            pending = false;
            if (phase.heavy_base) {
                label_components(phase.heavy_base, level.base);
                sync(LABEL);
                start_phase();
            } else {
                next_phase();
            }
            chain = lists.heavy;
            labels = Labels::FINAL;
        } else if (lists.in_play <= FINISH_LIMIT && level.count <= FINISH_LIMIT) {
            collect();
            finishing = FinishInput::LISTS;
        } else {
            if (K::wide) {
                find_least_ids();
                sync(LEAST_IDS);
            }
            hook();
            bool splitting = !goes_on && lists.in_play > SPLIT_EDGES &&
                             (float)lists.in_play > SPLIT_DEGREE * (float)level.count;
            if (splitting) sample_list();
            if (!K::wide && level.count <= FEW_LIMIT) clear_other_least();
            sync(HOOK);
            is_few = !K::wide && level.count <= FEW_LIMIT && contract_few();
            if (!is_few) contract();
            if (level.count == 0 && !is_few) continue;
            if (is_few) labels = Labels::FEW;
            if (splitting) {
                pivot = list_pivot();
                keep = Keep::LIGHT;
                phase.heavy_base = level.base;
                pending = goes_on = true;
            } else if (is_few && level.count > 1 && level.count <= PAIR_LIMIT) {
                keep = Keep::LEAST_OF_PAIRS;
                finishing = FinishInput::PAIRS;
            }
        }
        if (finishing != FinishInput::LISTS) {
            relabel(chain, labels, keep, pivot);
            count_edges(labels == Labels::FINAL ? RETURN : RELABEL);
            if (is_few && goes_on) {
                publish_labels();
                if (level.count == 0) sync(NUMBER);
            }
        }
        if (finishing != FinishInput::NOTHING) finish(finishing, goes_on);
    }
}

// The share of light entries in the rows.
template <class K>
__device__ float Solver<K>::light_share_of_rows() {
    u32 v = (u64)hash(threadIdx.x) * graph.vertices >> 32, mean = graph.entries / graph.vertices;
    u32 row = graph.offsets[v + 1] - graph.offsets[v];
    bool is_skewed = __syncthreads_count(row * SHORT_ROW_DIVISOR < mean) > BLOCK_THREADS / 2;
    float degree = mean > 2 * DENSE_DEGREE ? LIGHT_DEGREE_DENSE
                   : is_skewed             ? LIGHT_DEGREE_SKEWED
                                           : LIGHT_DEGREE;
    return degree * (float)graph.vertices / (float)(graph.entries / 2);
}

template <class K>
__device__ void Solver<K>::solve_rows() {
    begin();
    bool filtered = graph.entries / 2 >= FILTER_DEGREE * (u64)graph.vertices;
    u32 queue_counter = new_counter();
    phase.finals = new_counter();
    float share = filtered ? light_share_of_rows() : 1.0f;
    if (filtered) sample_input(graph.weights, graph.entries, share, graph.ids);
    sync(CLEAR);
    u64 pivot = filtered ? input_pivot(share, share) : 0;
    if (filtered) {
        scan_by_group(pivot, queue_counter);
    } else {
        scan_by_lane(queue_counter);
    }
    sync(SCAN);
    u32 items = read(queue_counter);
    if (filtered && items) {
        list_light_of_long_rows(pivot, items);
        sync(LIGHT);
    }
    if (overflowed()) return;
    contract();
    if (filtered) {
        // The true number is not known; relabel is to look for a giant component.
        lists.in_play = GIANT_EDGES + 1;
        relabel(lists.light, Labels::LINKED, Keep::ALL, 0);
    } else {
        gather_short_rows();
        if (items) gather_long_rows(items);
    }
    count_edges(filtered ? RELABEL : GATHER);
    for (bool first = filtered; !overflowed(); first = false) {
        rounds(first, false);
        if (!first) return;
        next_phase();
        u32 giant = passive_giant();
        u32 giant_label = giant == UNSET ? UNSET : FINAL | (giant - level.base);
        queue_counter = new_counter();
        gather_outside(giant_label, queue_counter);
        sync(GATHER);
        items = read(queue_counter);
        if (items) gather_long_outside(giant_label, items);
        count_edges(GATHER);
    }
}

// A phase on light edges, of the input or of a list of their own, and one on the edges between
// their components. If there are many light edges, the lighter ones come first.
template <class K>
__device__ void Solver<K>::solve_edges() {
    begin();
    bool filtered = graph.lights || graph.edges >= FILTER_DEGREE * (u64)graph.vertices;
    u32 wanted = graph.lights ? graph.lights : graph.wanted;
    float first_wanted = LIGHT_DEGREE_DENSE * (float)graph.vertices;
    bool splits = filtered && (float)wanted > first_wanted + (float)SPLIT_EDGES;
    if (!splits) first_wanted = (float)wanted;
    float total = (float)(graph.lights ? graph.lights : graph.edges);
    float share = (float)wanted / total, first_share = first_wanted / total;
    phase.finals = new_counter();
    for (u32 i = warp * 32 + lane; i < graph.vertices; i += warps * 32) clear_component(i);
    if (splits || (filtered && !graph.lights))
        sample_input(graph.lights ? graph.light_weights : graph.weights,
                     graph.lights ? graph.lights : graph.edges, first_share, graph.light_ids);
    sync(CLEAR);
    u64 pivot = filtered ? input_pivot(share, first_share) : 0;
    u64 first_pivot = splits ? input_pivot(first_share, first_share) : MAX_ORDER;
    if (graph.lights) {
        gather_light_edges(first_pivot);
    } else if (filtered) {
        gather_edges_up_to(pivot, first_pivot);
    } else {
        gather_edges();
    }
    count_edges(GATHER);
    for (bool first = filtered; !overflowed(); first = false) {
        rounds(first, first && splits);
        if (!first) return;
        next_phase();
        if (blockIdx.x == 0 && threadIdx.x == 0) scratch.report[REPORT_LABELS] = level.count;
        if (level.count == 1) return; // the light edges connect all vertices
        gather_edges_outside(passive_giant());
        count_edges(GATHER);
    }
}
