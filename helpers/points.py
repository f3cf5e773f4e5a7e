"""The one table of points: unit → what is marked, in the order of the unit → points it can earn."""

TASK, QUESTION, SHAPES = 2, 3, 1


def _boxes(*groups: str) -> dict[str, int]:
    """Return the points of the homework's boxes, group by group, each with its question about the paper's shapes."""
    points = {}
    for number, keys in enumerate(groups, start=1):
        points |= dict.fromkeys(keys.split(), TASK) | {f"paper-shapes-{number}": SHAPES}
    return points


POINTS = {
    "encoder": {
        "shapes": TASK,
        "token_ids": TASK,
        "xavier_limit": TASK,
        "embed": TASK,
        "order_gap": TASK,
        "binary_code": TASK,
        "positional_encoding": TASK,
        "shift_matrix": TASK,
        "encoder_input": TASK,
        "layer_norm": TASK,
        "softmax": TASK,
        "attention": TASK,
        "split_heads": TASK,
        "merge_heads": TASK,
        "self_attention": TASK,
        "add_norm": TASK,
        "ffn": TASK,
        "dead_units": TASK,
        "encoder_layer": TASK,
        "encoder": TASK,
        "encoder_parameters": TASK,
        "encoder_multiply_adds": TASK,
        "prose-1": QUESTION,
        "prose-2": QUESTION,
        "prose-3": QUESTION,
    },
    "decoder": {
        "shift_right": TASK,
        "causal_mask": TASK,
        "masked_softmax": TASK,
        "masked_self_attention": TASK,
        "leaks": TASK,
        "cross_attention": TASK,
        "most_attended": TASK,
        "decoder_layer": TASK,
        "decoder": TASK,
        "logits": TASK,
        "rank_of": TASK,
        "entropy": TASK,
        "temperature": TASK,
        "top_k": TASK,
        "nucleus": TASK,
        "cross_entropy": TASK,
        "smoothed_loss": TASK,
        "generate": TASK,
        "cached_step": TASK,
        "padding_mask": TASK,
        "model_parameters": TASK,
        "model_multiply_adds": TASK,
        "prose-1": QUESTION,
        "prose-2": QUESTION,
        "prose-3": QUESTION,
    },
    "hand_traces": {
        "scaled_entry": TASK,
        "input_entry": TASK,
        "projection_terms": TASK,
        "score_terms": TASK,
        "softmax_line": TASK,
        "mix_terms": TASK,
        "norm_line": TASK,
        "live_and_dead": TASK,
        "masked_line": TASK,
        "loss_two_ways": TASK,
        "prose-1": QUESTION,
        "prose-2": QUESTION,
        "prose-3": QUESTION,
    },
    "homework_encoder": {
        **_boxes(
            "ids E_rows E_scaled PE X",
            "Q0 K0 V0 Q1 K1 V1",
            "S0 A0 H0 S1 A1 H1",
            "C M res1 N1",
            "F_pre F_relu F res2 Z",
        ),
        "prose-1": QUESTION,
        "prose-2": QUESTION,
        "prose-3": QUESTION,
    },
    "homework_translation": {
        **_boxes(
            "ids E_rows E_scaled PE Y0",
            "Qm0 Km0 Vm0 Sm0 Bm0 Am0 Hm0 Qm1 Km1 Vm1 Sm1 Bm1 Am1 Hm1",
            "Cm Mm res1 Y1",
            "Qc0 Kc0 Vc0 Sc0 Ac0 Hc0 Qc1 Kc1 Vc1 Sc1 Ac1 Hc1",
            "Cc Mc res2 Y2",
            "F_pre F_relu F res3 Y3",
            "logits P losses loss next_word",
        ),
        "prose-1": QUESTION,
        "prose-2": QUESTION,
        "prose-3": QUESTION,
    },
}
