// SPDX-License-Identifier: Apache-2.0
// Recursive descent with a depth limit: an expression 10,000 levels deep is an error, not a stack
// overflow.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "problem/syntax.hpp"

namespace bench::problem {
namespace {

const std::map<std::string, Function> functions{
    {"min", Function::minimum}, {"max", Function::maximum}, {"abs", Function::absolute},
    {"sum", Function::sum},     {"len", Function::length},  {"int", Function::integer},
    {"float", Function::real},  {"round", Function::round}, {"range", Function::range},
    {"list", Function::list}};

constexpr const char *syntax_hint =
    "write it as Python would, with numbers, names, + - * / // % **, comparisons, and/or/not/in, "
    "lists, "
    "range and min/max";

class Parser {
 public:
  Parser(const std::string &text, const Limits &limits) : text_(text), limits_(limits) {}

  std::unique_ptr<Node> whole() {
    auto node = conditional();
    skip_space();
    if (at_ < text_.size()) fail(std::string("unexpected '") + text_[at_] + "'", syntax_hint);
    return node;
  }

 private:
  using NodePtr = std::unique_ptr<Node>;

  [[noreturn]] void fail(const std::string &what, const std::string &hint) const {
    throw expression_failure(text_, std::min(at_, text_.size()), what, hint);
  }

  // Counts nesting for every construct that recurses, so that no input reaches the stack's end.
  struct Level {
    explicit Level(Parser &parser) : parser_(parser) {
      if (++parser_.depth_ > parser_.limits_.depth) {
        parser_.fail("nested deeper than " + std::to_string(parser_.limits_.depth) + " levels",
                     "split the condition into several, or precompute the values");
      }
    }
    ~Level() { --parser_.depth_; }
    Parser &parser_;
  };

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(const char *symbol) {
    skip_space();
    const std::size_t size = std::char_traits<char>::length(symbol);
    if (text_.compare(at_, size, symbol) != 0) return false;
    at_ += size;
    return true;
  }
  static bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
  static bool word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string peek_word() {
    skip_space();
    std::size_t end = at_;
    if (end < text_.size() && word_start(text_[end])) {
      while (end < text_.size() && word_part(text_[end])) ++end;
    }
    return text_.substr(at_, end - at_);
  }
  bool take_word(const char *word) {
    if (peek_word() != word) return false;
    at_ += std::char_traits<char>::length(word);
    return true;
  }
  void expect(const char *symbol, std::size_t opened) {
    if (take(symbol)) return;
    skip_space();
    const std::string found = at_ < text_.size() ? std::string("'") + text_[at_] + "'" : "the end";
    fail(std::string("expected '") + symbol + "' for the bracket opened at column " +
             std::to_string(opened + 1) + ", found " + found,
         syntax_hint);
  }
  NodePtr make(Op op, std::size_t offset) const {
    auto node = std::make_unique<Node>();
    node->op = op;
    node->offset = offset;
    return node;
  }
  NodePtr binary(Op op, std::size_t offset, NodePtr left, NodePtr right) const {
    NodePtr node = make(op, offset);
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    return done(std::move(node));
  }
  // A chain a + b + c leans to the left and is as deep as it is long without any nesting of the
  // text.
  NodePtr done(NodePtr node) const {
    for (const auto &child : node->children) node->depth = std::max(node->depth, child->depth + 1);
    if (node->depth > limits_.depth) {
      fail("nested deeper than " + std::to_string(limits_.depth) + " levels",
           "split the expression into several");
    }
    return node;
  }

  NodePtr conditional() {
    const Level level(*this);
    NodePtr value = disjunction();
    skip_space();
    const std::size_t offset = at_;
    if (!take_word("if")) return value;
    NodePtr node = make(Op::conditional, offset);
    node->children.push_back(disjunction());
    if (!take_word("else")) fail("'if' without 'else'", "write a if condition else b");
    node->children.push_back(std::move(value));
    node->children.push_back(conditional());
    return done(std::move(node));
  }

  NodePtr disjunction() {
    NodePtr left = conjunction();
    for (;;) {
      skip_space();
      const std::size_t offset = at_;
      if (!take_word("or") && !take("||")) return left;
      left = binary(Op::logical_or, offset, std::move(left), conjunction());
    }
  }

  NodePtr conjunction() {
    NodePtr left = negation();
    for (;;) {
      skip_space();
      const std::size_t offset = at_;
      if (!take_word("and") && !take("&&")) return left;
      left = binary(Op::logical_and, offset, std::move(left), negation());
    }
  }

  NodePtr negation() {
    const Level level(*this);
    skip_space();
    const std::size_t offset = at_;
    const bool bang = at_ < text_.size() && text_[at_] == '!' && text_.compare(at_, 2, "!=") != 0;
    if (bang) ++at_;
    if (!bang && !take_word("not")) return comparison();
    NodePtr node = make(Op::logical_not, offset);
    node->children.push_back(negation());
    return done(std::move(node));
  }

  bool take_compare(Compare &compare) {
    skip_space();
    const std::size_t start = at_;
    if (take("<="))
      compare = Compare::less_equal;
    else if (take(">="))
      compare = Compare::greater_equal;
    else if (take("=="))
      compare = Compare::equal;
    else if (take("!="))
      compare = Compare::not_equal;
    else if (take("<"))
      compare = Compare::less;
    else if (take(">"))
      compare = Compare::greater;
    else if (take_word("in"))
      compare = Compare::in;
    else if (take_word("not")) {
      if (!take_word("in")) {
        at_ = start;
        return false;
      }
      compare = Compare::not_in;
    } else {
      return false;
    }
    return true;
  }

  NodePtr comparison() {
    NodePtr first = sum();
    Compare compare{};
    skip_space();
    const std::size_t offset = at_;
    if (!take_compare(compare)) return first;
    NodePtr node = make(Op::compare, offset);
    node->children.push_back(std::move(first));
    do {
      node->compares.push_back(compare);
      node->children.push_back(sum());
    } while (take_compare(compare));
    return done(std::move(node));
  }

  NodePtr sum() {
    NodePtr left = product();
    for (;;) {
      skip_space();
      const std::size_t offset = at_;
      Op op;
      if (take("+"))
        op = Op::add;
      else if (take("-"))
        op = Op::subtract;
      else
        return left;
      left = binary(op, offset, std::move(left), product());
    }
  }

  NodePtr product() {
    NodePtr left = unary();
    for (;;) {
      skip_space();
      const std::size_t offset = at_;
      Op op;
      if (text_.compare(at_, 2, "**") == 0) return left;
      if (take("//"))
        op = Op::floor_divide;
      else if (take("*"))
        op = Op::multiply;
      else if (take("/"))
        op = Op::divide;
      else if (take("%"))
        op = Op::modulo;
      else
        return left;
      left = binary(op, offset, std::move(left), unary());
    }
  }

  NodePtr unary() {
    const Level level(*this);
    skip_space();
    const std::size_t offset = at_;
    const bool minus = take("-");
    if (!minus && !take("+")) return power();
    NodePtr node = make(minus ? Op::negate : Op::plus, offset);
    node->children.push_back(unary());
    return done(std::move(node));
  }

  NodePtr power() {
    NodePtr base = postfix();
    skip_space();
    const std::size_t offset = at_;
    if (!take("**")) return base;
    return binary(Op::power, offset, std::move(base), unary());  // right-associative
  }

  NodePtr postfix() {
    NodePtr node = atom();
    for (;;) {
      skip_space();
      const std::size_t offset = at_;
      if (!take("[")) return node;
      node = binary(Op::index, offset, std::move(node), conditional());
      expect("]", offset);
    }
  }

  NodePtr atom() {
    const Level level(*this);
    skip_space();
    if (at_ >= text_.size()) fail("the expression ends where a value is expected", syntax_hint);
    const std::size_t offset = at_;
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
    if (c == '\'' || c == '"') return quoted(c);
    if (c == '(') {
      ++at_;
      NodePtr first = conditional();
      if (take(")")) return first;
      if (peek_word() == "for") return comprehension(std::move(first), offset, ")");
      NodePtr tuple = make(Op::list, offset);
      tuple->children.push_back(std::move(first));
      return list_rest(std::move(tuple), offset, ")");
    }
    if (c == '[') {
      ++at_;
      NodePtr list = make(Op::list, offset);
      if (take("]")) return list;
      NodePtr first = conditional();
      if (peek_word() == "for") return comprehension(std::move(first), offset, "]");
      list->children.push_back(std::move(first));
      return list_rest(std::move(list), offset, "]");
    }
    const std::string word = peek_word();
    if (word.empty()) fail(std::string("unexpected '") + c + "'", syntax_hint);
    at_ += word.size();
    if (word == "True" || word == "true" || word == "False" || word == "false") {
      NodePtr node = make(Op::constant, offset);
      node->value = Value(word[0] == 'T' || word[0] == 't');
      return node;
    }
    static const char *const reserved[] = {"and", "or", "not", "in", "if", "else", "for", "lambda"};
    for (const char *keyword : reserved) {
      if (word == keyword) {
        at_ = offset;
        fail("'" + word + "' where a value is expected", syntax_hint);
      }
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return call(word, offset);
    NodePtr node = make(Op::name, offset);
    node->name = word;
    return node;
  }

  NodePtr list_rest(NodePtr list, std::size_t offset, const char *close) {
    while (take(",")) {
      if (take(close)) return done(std::move(list));  // trailing comma
      list->children.push_back(conditional());
    }
    expect(close, offset);
    return done(std::move(list));
  }

  NodePtr comprehension(NodePtr element, std::size_t offset, const char *close) {
    NodePtr node = comprehension_clauses(std::move(element), offset);
    expect(close, offset);
    return node;
  }

  NodePtr comprehension_clauses(NodePtr element, std::size_t offset) {
    const Level level(*this);
    if (!take_word("for")) fail("expected 'for'", syntax_hint);
    const std::string bound = peek_word();
    if (bound.empty()) fail("'for' without a name", "write [expression for name in list]");
    at_ += bound.size();
    if (!take_word("in"))
      fail("'for " + bound + "' without 'in'", "write [expression for name in list]");
    NodePtr node = make(Op::comprehension, offset);
    node->name = bound;
    node->children.push_back(nullptr);
    node->children.push_back(disjunction());
    while (take_word("if")) node->children.push_back(disjunction());
    if (peek_word() == "for") {
      node->splice = true;
      node->children[0] = comprehension_clauses(std::move(element), offset);
    } else {
      node->children[0] = std::move(element);
    }
    return done(std::move(node));
  }

  NodePtr call(const std::string &word, std::size_t offset) {
    const auto found = functions.find(word);
    if (found == functions.end()) {
      at_ = offset;
      std::vector<std::string> known;
      for (const auto &[name, function] : functions) known.push_back(name);
      const auto near = nearest_name(word, known);
      fail("'" + word + "' is no function of problem files",
           near ? "did you mean " + *near + "?"
                : "use min, max, abs, sum, len, int, float, round, range or list");
    }
    const std::size_t opened = at_;
    ++at_;
    NodePtr node = make(Op::call, offset);
    node->function = found->second;
    if (take(")")) return node;
    node->children.push_back(conditional());
    if (peek_word() == "for") {
      node->children[0] = comprehension_clauses(std::move(node->children[0]), offset);
    }
    return list_rest(std::move(node), opened, ")");
  }

  NodePtr quoted(char quote) {
    const std::size_t offset = at_++;
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      text += text_[at_++];
    }
    if (at_ >= text_.size()) {
      at_ = offset;
      fail("a text that is not closed", std::string("end it with ") + quote);
    }
    ++at_;
    NodePtr node = make(Op::constant, offset);
    node->value = Value(std::move(text));
    return node;
  }

  NodePtr number() {
    const std::size_t offset = at_;
    std::size_t end = at_;
    bool real = false;
    const bool hex = text_.compare(at_, 2, "0x") == 0 || text_.compare(at_, 2, "0X") == 0;
    if (hex) {
      end += 2;
      while (end < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[end]))) ++end;
    } else {
      const auto digits = [&] {
        while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
      };
      digits();
      if (end < text_.size() && text_[end] == '.') real = true, ++end, digits();
      if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
        real = true;
        ++end;
        if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
        digits();
      }
    }
    const char *first = text_.data() + offset + (hex ? 2 : 0);
    const char *last = text_.data() + end;
    NodePtr node = make(Op::constant, offset);
    std::from_chars_result result{};
    if (real) {
      double value = 0;
      result = std::from_chars(first, last, value);
      node->value = Value(value);
    } else {
      std::int64_t value = 0;
      result = std::from_chars(first, last, value, hex ? 16 : 10);
      node->value = Value(value);
    }
    if (result.ec != std::errc{} || result.ptr != last ||
        (end < text_.size() && word_part(text_[end]))) {
      fail("'" + text_.substr(offset, end - offset + (end < text_.size() ? 1 : 0)) +
               "' is no number in range",
           "integers have 64 bits; write larger values as reals, 1e30");
    }
    at_ = end;
    return node;
  }

  const std::string &text_;
  const Limits &limits_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<Node> parse_expression(const std::string &text, const Limits &limits) {
  if (text.size() > limits.text_bytes) {
    throw expression_failure(text, 0, "expression of " + std::to_string(text.size()) + " bytes",
                             "keep it under " + std::to_string(limits.text_bytes) + " bytes");
  }
  return Parser(text, limits).whole();
}

}  // namespace bench::problem
