import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { likeness, substringExpression, trigramExpression, wordsExpression } from "./match_expression.ts";
import { TABLES } from "./schema.ts";
import { termsOf } from "./words.ts";

Deno.test("K4 no text of a user is an operator of FTS5", () => {
  using stack = new DisposableStack();
  const database = stack.adopt(new DatabaseSync(":memory:"), (one) => one.close());
  database.exec(TABLES);
  database.prepare("INSERT INTO words (rowid, name) VALUES (1, ?)").run("near and");
  const words = database.prepare("SELECT rowid FROM words WHERE words MATCH ?");
  const pieces = database.prepare("SELECT rowid FROM pieces WHERE pieces MATCH ?");
  const term = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("NEAR", "AND", "NOT", "*", '"', "name:", "^a", "(", "\0"),
  );
  fc.assert(fc.property(fc.array(term, { minLength: 1, maxLength: 5 }), (terms) => {
    words.all(wordsExpression(terms, "OR", ["name", "body"]));
    for (const expression of [substringExpression(terms), trigramExpression(terms)]) {
      if (expression !== "") pieces.all(expression);
    }
  }));
  assert.equal(words.all(wordsExpression(termsOf("near AND"), "AND", ["name"])).length, 1);
  assert.equal(words.all(wordsExpression(["near"], "AND", ["path"])).length, 0);
  database.prepare("INSERT INTO words (rowid, name) VALUES (2, ?)").run("filename");
  assert.equal(words.all(wordsExpression(["file", "name"], "AND", ["name"])).length, 1);
});

Deno.test("K4 likeness() is high for slips", () => {
  assert.equal(likeness("symboltree", "symbolTree"), 1);
  assert.ok(likeness("symboltree", "symbltree") > 0.5);
  assert.ok(likeness("symboltree", "readfile") < 0.2);
  assert.equal(likeness("", "a"), 0);
});
