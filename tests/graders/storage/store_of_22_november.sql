BEGIN TRANSACTION;
CREATE TABLE decisions (
  number INTEGER PRIMARY KEY, submission TEXT NOT NULL, check_id TEXT NOT NULL,
  answer TEXT NOT NULL, reviewer TEXT NOT NULL, points REAL NOT NULL, items TEXT NOT NULL,
  adjustment REAL NOT NULL, comment TEXT NOT NULL, action TEXT NOT NULL, seen INTEGER NOT NULL,
  undoes INTEGER NOT NULL, decided_at TEXT NOT NULL);
INSERT INTO "decisions" VALUES(1,'ada','b/review','29693d29d4e37b5043254009cea9ccbe45895d9ed6707e0552bb808edd68003d','Rea',1.0,'[["names the cross terms", 1.0, true]]',0.0,'Good.','',0,0,'2026-11-24T09:51:21+00:00');
CREATE TABLE generations (
  number INTEGER PRIMARY KEY, assignment TEXT NOT NULL, version INTEGER NOT NULL,
  checks TEXT NOT NULL, made_at TEXT NOT NULL, published INTEGER);
INSERT INTO "generations" VALUES(1,'cs182-transformers',2,'6bb32acc07168c05d843f8ea760c4df0ca701076521d8c80fa6f9851a97e25d5','2026-11-24T09:51:18+00:00',1);
CREATE TABLE inputs (only INTEGER PRIMARY KEY CHECK (only = 1), draw TEXT NOT NULL);
INSERT INTO "inputs" VALUES(1,'ad2d54f8b5615907e8a6d200c3a959e3');
CREATE TABLE members (
  generation INTEGER NOT NULL, submission TEXT NOT NULL, address TEXT NOT NULL,
  listed INTEGER NOT NULL, PRIMARY KEY (generation, submission)) WITHOUT ROWID;
INSERT INTO "members" VALUES(1,'ada','d8481a48b6908865dfe0c14538e7459b5cce952cc6221313a11376d0c67030d5',1);
CREATE TABLE releases (number INTEGER PRIMARY KEY, released INTEGER NOT NULL, decided_at TEXT NOT NULL);
CREATE TABLE results (
  submission TEXT NOT NULL, address TEXT NOT NULL, status TEXT NOT NULL, sha256 TEXT NOT NULL,
  asked TEXT NOT NULL, keys TEXT NOT NULL, document TEXT NOT NULL, annex TEXT NOT NULL,
  sum TEXT NOT NULL, path BLOB NOT NULL, PRIMARY KEY (submission, address));
INSERT INTO "results" VALUES('ada','d8481a48b6908865dfe0c14538e7459b5cce952cc6221313a11376d0c67030d5','needs_review','473571f85280a1a7f851396b70d9837130b39cf9c7aec1c754c8d9c2bb7119b8','{"assignment": "cs182-transformers", "data": null, "device": "cpu", "only": null, "rerun": null}','{"a": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "b": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "c.i": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "c.ii": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "d": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "e": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "f": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "g": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "h": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778", "i": "0b4fea77e5130d5e89a3c2c5699b80a50c0acc98deb74cc18bb48b888f45e778"}','{
 "schema": "softmark/result/v1",
 "submission": {
  "id": "ada",
  "student": "ada",
  "sha256": "473571f85280a1a7f851396b70d9837130b39cf9c7aec1c754c8d9c2bb7119b8"
 },
 "assignment": {
  "name": "cs182-transformers",
  "version": 2
 },
 "status": "needs_review",
 "score": null,
 "max_score": 28.0,
 "criteria": [
  {
   "id": "a",
   "title": "a. Why positions are encoded",
   "points": 0.0,
   "max_points": 3.0,
   "visibility": "visible",
   "status": "failed",
   "extra_credit": false,
   "checks": [
    {
     "id": "a/review",
     "description": "Why positions are encoded: the answer, read by a person.",
     "status": "failed",
     "fraction": 0.0,
     "message": "Not answered.",
     "hint": "Write your answer behind `text:`.",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.007934833000035724,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "b",
   "title": "b. To add or to concatenate positions",
   "points": null,
   "max_points": 4.0,
   "visibility": "visible",
   "status": "needs_review",
   "extra_credit": false,
   "checks": [
    {
     "id": "b/machine",
     "description": "To add or to concatenate positions: `add` and `concat` are right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.04270781900049769,
     "outcome": "",
     "figures": []
    },
    {
     "id": "b/review",
     "description": "To add or to concatenate positions: the text, read by a person.",
     "status": "needs_review",
     "fraction": 0.0,
     "message": "A person reads this and decides.",
     "hint": "",
     "expected": "",
     "actual": "No cross terms in the second case.",
     "counterexample": null,
     "seconds": 0.001017417998809833,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "c.i",
   "title": "c.i. Relative biases",
   "points": 2.0,
   "max_points": 2.0,
   "visibility": "visible",
   "status": "passed",
   "extra_credit": false,
   "checks": [
    {
     "id": "c.i/machine",
     "description": "Relative biases: `formula` is right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.003957998000259977,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "c.ii",
   "title": "c.ii. How many biases",
   "points": 2.0,
   "max_points": 2.0,
   "visibility": "visible",
   "status": "passed",
   "extra_credit": false,
   "checks": [
    {
     "id": "c.ii/machine",
     "description": "How many biases: `formula` is right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.0036707420003949665,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "d",
   "title": "d. Why several heads",
   "points": 0.0,
   "max_points": 3.0,
   "visibility": "visible",
   "status": "failed",
   "extra_credit": false,
   "checks": [
    {
     "id": "d/review",
     "description": "Why several heads: the answer, read by a person.",
     "status": "failed",
     "fraction": 0.0,
     "message": "Not answered.",
     "hint": "Write your answer behind `text:`.",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.0017616610002733069,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "e",
   "title": "e. The receptive field of argmax attention",
   "points": 3.0,
   "max_points": 3.0,
   "visibility": "visible",
   "status": "passed",
   "extra_credit": false,
   "checks": [
    {
     "id": "e/machine",
     "description": "The receptive field of argmax attention: `one_head`, `two_heads` and `k_heads` are right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.0068520679997163825,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "f",
   "title": "f. What attention costs",
   "points": 3.0,
   "max_points": 3.0,
   "visibility": "visible",
   "status": "passed",
   "extra_credit": false,
   "checks": [
    {
     "id": "f/machine",
     "description": "What attention costs: `encoder_self`, `cross` and `decoder_self` are right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.0051510960001905914,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "g",
   "title": "g. What is masked",
   "points": null,
   "max_points": 2.0,
   "visibility": "visible",
   "status": "needs_review",
   "extra_credit": false,
   "checks": [
    {
     "id": "g/machine",
     "description": "What is masked: `answer` is right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "answers.md: line 18 was read as `answer` and the rest as `text`: to say it yourself, begin them with `answer:` and `text:`.",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.0011451370010036044,
     "outcome": "",
     "figures": []
    },
    {
     "id": "g/review",
     "description": "What is masked: the text, read by a person.",
     "status": "needs_review",
     "fraction": 0.0,
     "message": "A person reads this and decides.",
     "hint": "",
     "expected": "",
     "actual": "False. The position is kept.",
     "counterexample": null,
     "seconds": 0.0008041620003496064,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "h",
   "title": "h. Novels without labels",
   "points": null,
   "max_points": 2.0,
   "visibility": "visible",
   "status": "needs_review",
   "extra_credit": false,
   "checks": [
    {
     "id": "h/machine",
     "description": "Novels without labels: `choice` is right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.001392254000165849,
     "outcome": "",
     "figures": []
    },
    {
     "id": "h/review",
     "description": "Novels without labels: the text, read by a person.",
     "status": "needs_review",
     "fraction": 0.0,
     "message": "A person reads this and decides.",
     "hint": "",
     "expected": "",
     "actual": "The text holds its labels.",
     "counterexample": null,
     "seconds": 0.0008626889994047815,
     "outcome": "",
     "figures": []
    }
   ]
  },
  {
   "id": "i",
   "title": "i. Encoder or encoder-decoder",
   "points": 4.0,
   "max_points": 4.0,
   "visibility": "visible",
   "status": "passed",
   "extra_credit": false,
   "checks": [
    {
     "id": "i/machine",
     "description": "Encoder or encoder-decoder: `summarization`, `reviews`, `search` and `translation` are right.",
     "status": "passed",
     "fraction": 1.0,
     "message": "",
     "hint": "",
     "expected": "",
     "actual": "",
     "counterexample": null,
     "seconds": 0.0017447760001232382,
     "outcome": "",
     "figures": []
    }
   ]
  }
 ],
 "environment": {
  "isolation": "bubblewrap",
  "device": "cpu",
  "seeds": {
   "assignment": 182
  },
  "inputs": "secret, sha256 f8f4dba6300fc972",
  "python": "3.11.7",
  "platform": "Linux",
  "versions": {
   "softmark": "0.1.0",
   "torch": "2.13.0+cpu",
   "transformers": "5.23.0",
   "numpy": "2.4.6",
   "scipy": "1.17.1",
   "pytest": "9.2.0",
   "hypothesis": "6.170.15",
   "safetensors": "0.8.0"
  },
  "intake": [],
  "data": "embedded world: 80 train, 60 dev, 60 test, sha256 4ae459a4b9b0c9c6",
  "student_process": {}
 },
 "started_at": "2026-11-24T09:51:19.992408Z",
 "seconds": 0.593
}
','{"title": "Transformers and Pretraining (discussion sheet)", "submitted_at": "2026-11-24T09:51:17.588472+00:00", "criteria": [["written", [[3.0, []]]], ["written", [[2.0, []], [2.0, []]]], ["written", [[2.0, []]]], ["written", [[2.0, []]]], ["written", [[3.0, []]]], ["written", [[3.0, []]]], ["written", [[3.0, []]]], ["written", [[1.0, []], [1.0, []]]], ["written", [[1.0, []], [1.0, []]]], ["written", [[4.0, []]]]]}','82d6eaf0e799a9635b5141e2435a2ad04c9fa1ff1771d23636d61160060d2dc9',X'2F636F757273652F696E2F616461');
CREATE TABLE written (
  only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL);
CREATE INDEX decisions_of ON decisions (submission, check_id, answer);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
  BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions
  BEGIN SELECT RAISE(ABORT, 'a decision is never removed'); END;
COMMIT;
PRAGMA user_version = 1;
