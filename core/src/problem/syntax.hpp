// SPDX-License-Identifier: Apache-2.0
// The tree of an expression.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "problem/expression.hpp"

namespace bench::problem {

enum class Op : std::uint8_t {
  constant,
  name,
  list,
  index,
  call,
  conditional,
  comprehension,
  negate,
  plus,
  logical_not,
  logical_and,
  logical_or,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  compare  // a chain: children are the operands, `compares` the operators between them
};

enum class Compare : std::uint8_t {
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  in,
  not_in
};

enum class Function : std::uint8_t {
  minimum,
  maximum,
  absolute,
  sum,
  length,
  integer,
  real,
  round,
  range,
  list
};

struct Node {
  Op op = Op::constant;
  std::size_t offset = 0;  // in the text, for messages
  Value value;             // constant
  std::string name;        // name; comprehension: the bound name
  Function function = Function::minimum;
  std::vector<Compare> compares;
  int depth = 1;        // of the tree under this node, which everything walks recursively
  bool splice = false;  // comprehension: its element is the next `for`, whose list is appended
  // comprehension: element, source, conditions...
  std::vector<std::unique_ptr<Node>> children;
};

/// Parses within `limits`; throws Failure.
std::unique_ptr<Node> parse_expression(const std::string &text, const Limits &limits);

/// Python's arithmetic on two numbers (floor division and the sign of % included); throws Failure
/// pointing at `node`.
Value arithmetic(Op op, const Value &left, const Value &right, const std::string &text,
                 const Node &node);
bool compare_values(Compare compare, const Value &left, const Value &right, const std::string &text,
                    const Node &node);

}  // namespace bench::problem
