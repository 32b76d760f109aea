"""Correct answers as students type them pass, wrong ones fail, in every notation."""

import pytest

RIGHT = [
    ("cs224n-a4", "1b", r"$q = \frac{\beta}{2}(k_{a} + k_{b})$, where $\beta \gg 0$."),
    ("cs224n-a4", "1b", "q = C * k_a + C * k_b for some large constant C"),
    ("cs224n-a4", "2b.ii", "answer: no\ntext: the pair is unique"),
    ("cs224n-a4", "2b.ii", "They cannot be the same, because 2 pi is irrational."),
    ("cs182-transformers", "b", "add: x_1 x_2 + x_1 p_2 + p_1 x_2 + p_1 p_2\nconcat: x1x2 + p1p2"),
    (
        "cs182-transformers",
        "b",
        r"add: z_1 \cdot z_2 = x_1^\top x_2 + x_1^\top p_2 + p_1^\top x_2 + p_1^\top p_2"
        "\nconcat: x_1 x_2^T + p_1 p_2^T",
    ),
    (
        "cs182-transformers",
        "b",
        r"add: $(x_1 + p_1) \cdot (x_2 + p_2) = x_1 x_2 + x_1 p_2 + p_1 x_2 + p_1 \cdot p_2$"
        "\nconcat: $[x_1, p_1] \\cdot [x_2, p_2] = x_1 \\cdot x_2 + p_1 \\cdot p_2$\ntext: why",
    ),
    ("cs182-transformers", "c.i", r"$\pi_{i,j} = q_i^{(\text{pos})} k_j^{(\text{pos})}$"),
    ("cs182-transformers", "c.ii", "m(2T-1) per layer"),
    ("cs182-transformers", "e", "min(T, 2^n)\n3^n\n(k+1)^n"),  # capped by the context
    ("cs182-transformers", "f", "O(M^2 k + M k^2)\nO(MNk)\nO(N^2 k)"),  # projections counted
    ("cs182-transformers", "c.ii", "We need $(2T-1)m$ extra parameters in each layer."),
    ("cs182-transformers", "c.ii", "number of params = m * (2*T-1)"),
    (
        "cs182-transformers",
        "f",
        "encoder_self: O(M^2 d + M d^2)\ncross: MNk\ndecoder_self: Θ(k N**2)",
    ),
    ("cs182-transformers", "g", "**False** - we keep the positional encoding."),
    ("cs182-transformers", "h", "A. The labels are in the text."),
    ("cs182-transformers", "h", "The first student is right, because the next word is the label."),
    (
        "cs182-transformers",
        "i",
        "- to sum up an article: Seq-to-seq\n- what reviews of restaurants feel: Encoder Model\n"
        "- which pages a web search should show: Encoder\n- from one language to another: Seq2Seq",
    ),
    ("cs182-transformers", "i", "1. encoder-decoder\n2. encoder\n3. encoder\n4. seq2seq"),
    ("cs224n-a5", "1e.ii", "K: I\nQ: u_d u_a^T + u_c u_d^T\nV: (u_b u_b^T - u_c u_c^T)/β²"),
    ("cs224n-a4", "1b", "`S·(k_a + k_b), where S = 1,000,000`"),
    ("cs224n-a4", "1b", r"$q = \beta \sum_{i \in \{a,b\}} k_i$, $\beta \gg 0$"),
    ("cs224n-a4", "1b", "我们取 $q = c(k_a + k_b)$，其中 c 很大。"),
    ("cs224n-a4", "1b", "> q = 1000*(k_a + k_b)\n\nBecause both scores are equal."),
    ("cs224n-a4", "1b", "# My reasoning\n$q = a(k_a + k_b)$, $a \\to \\infty$"),
    ("cs224n-a4", "1b", "#\n$q = a(k_a + k_b)$, $a \\to \\infty$"),
    ("cs224n-a4", "1c.i", "As in 1b, q = c (mu_a + mu_b), since k_i ≈ mu_i."),
    ("cs224n-a4", "1d.i", "First head: q_1 = c μ_a. Second head: q_2 = c μ_b."),
    ("uw-a2", "1.2.1", "<47, 65, 60>"),
    ("uw-a2", "1.2.1", r"$q = \begin{bmatrix}47\\65\\60\end{bmatrix}$, 100 times the key."),
    ("uw-a2", "Q5.1", "The test accuracy is 94.84%."),
    ("jhu-hw6", "2.3.1", r"$\|\mu\|^2$ where μ is the vector of means"),
    ("jhu-hw6", "2.3.1", "Der Erwartungswert ist **hμ²**."),
    ("jhu-hw6", "2.3.1", "‖μ‖²"),
    ("jhu-hw6", "3.2.1", "lr 1e-5\nTraining epochs: 9\nDev: 78.5933%\nTest: 78.5564%"),
    ("cs182-transformers", "e", "1 head: 2^n, 2 heads: 3^n, k heads: (k+1)^n"),
    ("cs182-transformers", "e", "- one head: $2^n$\n- two heads: $3^n$\n- $k$ heads: $(k+1)^n$"),
    ("cs182-transformers", "b", "We get **add = (x1+p1)·(x2+p2)** and **concat = x1·x2 + p1·p2**."),
    (
        "cs224n-a5",
        "1e.ii",
        "**K = I**, **Q = u_d u_a^T + u_c u_d^T**, **V = (u_b u_b^T - u_c u_c^T)/β²**.",
    ),
    ("cs224n-a5", "1e.ii", "K = 𝟙, Q = u_d u_a^T + u_c u_d^T, V = (u_b u_b^T - u_c u_c^T)/β²"),
    ("cs224n-a4", "1c.i", "α^{-1/4}(μ_a+μ_b)"),
    ("cs224n-a4", "1c.i", "β α^{-1/4}(μ_a+μ_b)"),
    ("cs224n-a4", "1b", "q = n(k_a + k_b), where n is a large number"),
    ("cs224n-a4", "1b", "q&nbsp;= C (k<sub>a</sub> + k<sub>b</sub>), C ≫ 1"),
    ("cs224n-a4", "1b", "*q = C (k*~*a*~ *+ k*~*b*~*)*"),  # Word's formula in Pandoc's Markdown
    ("jhu-hw6", "2.3.2", "hσ^4^ + 2hμ<sup>2</sup>σ^2^"),
    ("cs182-transformers", "c.i", "q_i^pos^T k_j^pos"),
    ("jhu-hw6", "3.1.4", "runs:\nmodel,dev,test\nbert,70,71\nelectra,72,73"),
    (
        "cs182-transformers",
        "c.i",
        "It is the inner product of positions: π_ij = q_i_pos · k_j_pos.",
    ),
    ("cs224n-a4", "1d.i", "q1 = d mu_a, q2 = d mu_b, d → ∞"),
    ("cs182-transformers", "c.i", "q_i_pos . k_j_pos"),
    ("cs182-transformers", "b", "add: (x_1 + p_1) . (x_2 + p_2)\nconcat: x_1 . x_2 + p_1 . p_2"),
    ("cs182-transformers", "c.ii", "2T-1 parameters per head, hence m(2T-1) parameters."),
    ("jhu-hw6", "3.2.5", "dn parameters for A and nd for B, so 2dn"),
    ("uw-a2", "Q2.3", "input_ids is B×L, attention_mask is B×L, label_encoding is B"),
    ("uw-a2", "Q2.3", "input_ids has shape 64×47, attention_mask is 64×47, label_encoding is 64"),
    (
        "uw-a2",
        "Q2.3",
        "input_ids: 64 × 47 (padded)\nattention_mask: 64 × 47 (ones)\nlabel_encoding: 64 (labels)",
    ),
    (
        "uw-a2",
        "2.2.1",
        "| | Train | Dev |\n|--|--|--|\n| PPL | 121,40 | 188,20 |\n| Loss | 4,799 | 5,237 |",
    ),
    ("jhu-hw6", "3.2.1", "lr 1e-4, epochs 9, dev 76,758 %, test 77,855 %"),
    ("cs224n-a4", "2b.ii", "There are no two positions with the same embedding."),
    # Values without labels, in the order of their words.
    ("cs182-transformers", "e", "(k+1)^n for k heads, so 2^n for one head, 3^n for two"),
    ("cs182-transformers", "e", "2^n, 3^n, (k+1)^n. Each level adds a head."),
    ("cs182-transformers", "f", "O(N²k) for the decoder, O(M²k) for the encoder, O(MNk) for cross"),
    ("cs182-transformers", "e", "$2^n$ for one head, $3^n$ for two and $(k+1)^n$ for $k$ heads."),
    ("cs182-transformers", "e", "One: 2^n. Two: 3^n. k: (k+1)^n"),
    ("cs182-transformers", "f", "Encoder: $O(M^2k)$, cross: $O(MNk)$, decoder: $O(N^2k)$."),
    ("uw-a2", "Q2.1", "- train = 6920\n- validation = 872\n- test = 1821"),
    (
        "uw-a2",
        "Q4.7",
        "| BS | LR | #Epochs | Train | Val |\n|-|-|-|-|-|\n| 32 | 1e-5 | 3 | 96.99 | 94.61 |",
    ),
    ("uw-a2", "Q2.1", "The test set has 1821 examples, the train set 6920 and the dev set 872."),
    ("uw-a2", "Q2.1", "1821 test, 872 validation, 6920 train"),
    ("uw-a2", "Q2.1", "train: 6920 (72 %)\nvalidation: 872 (9 %)\ntest: 1821 (19 %)"),
    ("cs182-transformers", "f", "O(M²k)\nO(MNk), since the decoder has N queries\nO(N²k)"),
    (
        "cs182-transformers",
        "b",
        "x1 x2 + x1 p2 + p1 x2 + p1 p2\nx1 x2 + p1 p2, as only those who add get cross terms",
    ),
    ("cs224n-a4", "1b", r"$q = \beta (k_a + k_b)\ \text{where}(\beta \gg 0)$"),
    # The last side is the result; the steps before it may use notation of their own.
    ("jhu-hw6", "2.3.1", "E[qk^T] = E[q_1k_1] + ... + E[q_hk_h] = hμ²"),
    (
        "jhu-hw6",
        "2.3.1",
        r"$\mathbb E[qk^\top] = \mathbb E\left[\sum_{i=1}^{h} q_i k_i\right] = h\mu^2$",
    ),
    (
        "jhu-hw6",
        "2.3.2",
        r"$\text{Var}(qk^\top) = \sum_{i=1}^h \text{Var}(q_i k_i) = h\sigma^2(\sigma^2 + 2\mu^2)$",
    ),
    ("cs182-transformers", "f", "O(2M²k) = O(M²k)\nMNk + k = O(MNk)\nO(N²k)"),
    (
        "cs224n-a5",
        "1b",
        r"Let $q = t(k_a + k_b)$, $t \gg 0$. For $i \notin \{a,b\}$, $k_i^\top q = 0$.",
    ),
    ("cs182-transformers", "c.i", r"$k_{j\_pos}^T q_{i\_pos}$"),
    (
        "cs224n-a4",
        "1d.i",
        r"$$\begin{aligned} q_1 &= \beta \mu_a \\ q_2 &= \beta \mu_b \end{aligned}$$",
    ),
    (
        "cs224n-a5",
        "1e.ii",
        "K = the identity, Q = u_d u_a^T + u_c u_d^T, V = (u_b u_b^T - u_c u_c^T)/β²",
    ),
    (
        "uw-a2",
        "1.2.2",
        "q_0 = [47, 65, 60]\nq_1 = [64, 50, -59]\nq_2 = [-3, -48, -88]\nq_3 = [43, -83, 35]",
    ),
    ("uw-a2", "1.2.2", "- [47, 65, 60]\n- [64, 50, -59]\n- [-3, -48, -88]\n- [43, -83, 35]"),
    (
        "uw-a2",
        "1.2.2",
        "| 47 | 65 | 60 |\n|---|---|---|\n| 64 | 50 | -59 |\n| -3 | -48 | -88 |\n| 43 | -83 | 35 |",
    ),
    ("cs182-transformers", "g", "[ ] True [x] False"),
    ("cs182-transformers", "h", "(A), since every next token is a label"),
    ("cs182-transformers", "i", "B\njust an encoder\nonly the encoder\nB"),
    (
        "jhu-hw6",
        "1.2",
        "Your data differ from those of an existing model, and you pretrain a new model.",
    ),
    ("jhu-hw6", "1.3", "The correct statements are A, C and E."),
    ("jhu-hw6", "1.5", "Both A and C (but not B)"),
    ("jhu-hw6", "1.6", "Tokenizer and model should come from one checkpoint."),
]
OPEN = [  # what a person decides
    ("cs224n-a4", "1b", "q = c(k_a + k_b) where c is close to zero"),
    ("cs224n-a5", "1d.i", "q1 = c mu_a and q2 = c mu_b, where c is a large negative number"),
    ("cs182-transformers", "c.ii", "For each head 2T-1, i.e. in total $2Tm - m = (2T-1)m$."),
    ("cs224n-a4", "2b.ii", "There is no reason why not, so yes."),
    ("cs224n-a4", "2b.ii", "There are no two positions that must differ, so yes"),
    (
        "uw-a2",
        "Q2.3",
        "input_ids: (texts in the batch, tokens)\nattention_mask: (64, 47)\nlabel_encoding: (64,)",
    ),
    ("cs224n-a4", "1b", "q = c(k_a + k_b) with c → 0"),
    ("cs224n-a4", "1b", "q = c(k_a + k_b), c ≪ 0"),
    ("uw-a2", "1.2.1", "q = c·k_0 for small c"),
    ("cs224n-a4", "1b", "not q = c(k_a + k_b) but q = c(k_a - k_b)"),
    ("cs224n-a4", "1b", r"$q = c \sum_{i \in S} k_i$, where $S = \{a, b\}$"),
    ("cs224n-a4", "2b.ii", "No, they can: it is possible."),
    ("cs224n-a4", "2b.ii", "not unique"),
    ("cs224n-a4", "2b.ii", "No clue, maybe yes."),
    ("uw-a2", "1.2.1", "q = 100 times the first of the keys"),
    ("jhu-hw6", "1.1", "It is not A."),
    ("jhu-hw6", "2.3.1", "hμ² is wrong, it is h²μ²"),
    ("jhu-hw6", "3.2.2", "2d weights + 2 biases"),
    ("cs182-transformers", "e", "one_head: 2^n\nof two: 3^n\nof k: (k+1)^n"),
    ("cs182-transformers", "h", "Neither student is right."),
    ("cs182-transformers", "h", "The text makes its own labels."),
    # Sentences, and words that contradict the order of the values, are no list.
    (
        "cs182-transformers",
        "e",
        "One head sees 2 nodes, so 2^n. Two see 3, so 3^n. k see k+1: (k+1)^n",
    ),
    (
        "cs182-transformers",
        "f",
        "O(N²k) for the encoder, O(M²k) for the decoder, O(MNk) for the encoder",
    ),
    ("cs182-transformers", "f", "O(M²k) ≈ O(M²) for constant k\nO(MNk)\nO(N²k)"),
    (
        "cs182-transformers",
        "b",
        "x1 x2 + x1 p2 + p1 x2 + p1 p2\nx1 x2 + p1 p2, cross terms if we add",
    ),
    ("uw-a2", "Q2.1", "Training: 6.920, Validierung: 872, Test: 1.821"),
    ("jhu-hw6", "2.2.2", "M = 2 A A^T = 2 (a_1 a_1^T + ... + a_m a_m^T)"),
    ("cs224n-a5", "1e.ii", "K = not the identity, Q = u_d u_a^T + u_c u_d^T, V = u_b u_b^T/β²"),
]
WRONG = [
    ("cs224n-a4", "1b", "formula: (k_a+k_b)/2", 0.5),
    ("cs224n-a4", "1b", "q = n(k_a + k_b) with n keys", 0.5),
    ("cs224n-a4", "1b", "0", 0),
    ("cs224n-a4", "1c.i", "beta*(k_a+k_b)", 0.5),
    ("cs224n-a4", "1c.i", "(mu_a+mu_b)/alpha", 0.5),  # the scatter of the keys decides
    ("cs224n-a4", "1c.i", r"\beta\alpha^{-1/2}(\mu_a+\mu_b)", 0.5),
    ("cs224n-a4", "1d.i", "q1: beta*mu_a\nq2: beta*mu_a", 0),
    ("cs224n-a4", "2b.ii", "Yes, at t = 0 and t = 2 pi.", 0),
    ("cs224n-a4", "2b.ii", "yes and no", 0),
    ("cs182-transformers", "e", "(k+1)^n for k heads, 3^n for one head, 2^n for two", 1 / 3),
    ("cs182-transformers", "g", "[x] True [ ] False", 0),
    ("cs182-transformers", "f", "O(M²) = O(M)\nO(MNk)\nO(N²k)", 2 / 3),
    ("cs182-transformers", "b", "add: x1 x2 + p1 p2\nconcat: x1 x2", 0),
    ("cs182-transformers", "c.i", "q_i k_j + q_i^pos k_j^pos", 0),
    ("cs182-transformers", "c.ii", "O(Tm)", 0),
    ("cs182-transformers", "e", "one_head: n\ntwo_heads: 2n\nk_heads: kn", 0),
    ("cs182-transformers", "f", "O(M^2)\nO(MN)\nO(N^2)", 0),
    ("cs182-transformers", "i", "A\nA\nA\nA", 0.5),
    ("cs224n-a5", "1c.i", r"formula: $q = \beta (k_a + k_b)$", 0.5),
    ("cs182-transformers", "e", "1 head: 2^n, 2 heads: 2^n, k heads: 2^n", 1 / 3),
]
UNTOLD = [  # what is expected is not shown
    ("cs224n-a4", "1b", "Die Query ist q = c(k_a + 2 k_b) mit c → ∞.", 0),
    ("uw-a2", "1.2.1", "S·k_1, where S = 1,000,000", 0),
    ("uw-a2", "2.2.1", "| Split | Perplexity |\n|---|---|\n| Train | 0.20 |\n| Dev | 0.55 |", 0.5),
    ("uw-a2", "Q5.1", "12%", 0.5),
    ("uw-a2", "Q5.1", "180%", 0),
    ("uw-a2", "Q5.1", "-0.9", 0),
    (
        "uw-a2",
        "Q2.3",
        "input_ids: (64, 47)\nattention_mask: (64, 64)\nlabel_encoding: (64,)",
        2 / 3,
    ),
    (
        "uw-a2",
        "Q2.3",
        "input_ids: (64, 512)\nattention_mask: (64, 47)\nlabel_encoding: (64,)",
        2 / 3,
    ),
    (
        "jhu-hw6",
        "3.1.4",
        "model,dev,test\nbert,0.703364,0.700771\nbert,0.703364,0.700771",
        0.75,
    ),
    ("jhu-hw6", "2.3.1", "The expectation is μ² because entries are independent.", 0),
    ("jhu-hw6", "2.3.1", "E[qk^T] = E[q_1k_1] + ... + E[q_hk_h] = h²μ²", 0),
]


@pytest.fixture
def answered(judged):
    def verdict_on(name, question, answer):
        return judged(name, question, f"## {question}\n{answer}\n")

    return verdict_on


@pytest.mark.parametrize(("name", "question", "answer"), RIGHT)
def test_right_answers_pass_in_any_notation(answered, name, question, answer):
    check = answered(name, question, answer)
    assert check.fraction == 1, check.message


@pytest.mark.parametrize(("name", "question", "answer"), OPEN)
def test_answers_that_cannot_be_read_wait_for_a_person(answered, name, question, answer):
    assert answered(name, question, answer).status == "needs_review"


@pytest.mark.parametrize(("name", "question", "answer", "fraction"), [*WRONG, *UNTOLD])
def test_wrong_answers_earn_no_more_than_they_should(answered, name, question, answer, fraction):
    check = answered(name, question, answer)
    assert check.fraction == pytest.approx(fraction), check.message
    assert check.message
    assert check.expected or (name, question, answer, fraction) in UNTOLD
