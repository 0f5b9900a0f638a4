#include "tools/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "io/scene/faults.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"

namespace scree {

namespace {

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double x = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error == std::errc() && end == text.data() + text.size()) return x;
  return std::nullopt;
}

std::string value_fault(const std::string& problem, const std::string& value, const io::Range& range) {
  Fault fault;
  fault.problem = problem;
  fault.value = value;
  fault.allowed = io::to_string(range);
  return to_string(fault);
}

std::string check_number(const std::string& text, const io::Range& range, bool whole) {
  const std::optional<double> x = to_number(text);
  const std::string kind = whole ? "must be a whole number" : "must be a finite number";
  if (!x || !std::isfinite(*x) || (whole && *x != std::floor(*x))) return value_fault(kind, text, range);
  return range.holds(*x) ? "" : value_fault("is out of range", text, range);
}

/// The subcommand on the command line, or the program itself.
const CLI::App& typed_command(const CLI::App& app) {
  const std::vector<CLI::App*> typed = const_cast<CLI::App&>(app).get_subcommands();
  return typed.empty() ? app : *typed.front();
}

std::string full_name(const CLI::App& app, const CLI::App& command) {
  return &app == &command ? app.get_name() : app.get_name() + ' ' + command.get_name();
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

std::string with_help(const std::string& problem, const std::string& suggestion, const std::string& name) {
  return problem + "; " + (suggestion.empty() ? '`' + name + " --help` shows what there is" : suggestion);
}

/// Message for words on the command line that no option takes.
std::string extra_words_fault(const CLI::App& app) {
  const CLI::App& typed = typed_command(app);
  const CLI::App& command = typed.remaining().empty() ? app : typed;
  const std::vector<std::string> extra = command.remaining();
  const auto option =
      std::find_if(extra.begin(), extra.end(), [](const auto& w) { return w.starts_with('-'); });
  const std::string name = full_name(app, command);
  if (option != extra.end()) {
    const std::string word = option->substr(0, option->find('='));
    return with_help(fmt::format("{}: there is no option {}", name, word),
                     io::did_you_mean(word, long_options(command)), name);
  }
  const std::string word = extra.empty() ? "" : extra.front();
  if (&command != &app) return with_help(fmt::format("{}: unexpected argument '{}'", name, word), "", name);
  return with_help(fmt::format("there is no command '{}'", word), io::did_you_mean(word, command_names(app)),
                   name);
}

std::string missing_fault(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = typed_command(app);
  const std::string name = full_name(app, command);
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const std::string what = option->get_positional() ? option->get_type_name() : option->get_name();
    return with_help(fmt::format("{}: {} is missing", name, what), "", name);
  }
  return with_help(fmt::format("{}: {}", name, error.what()), "", name);
}

}  // namespace

CLI::Validator number_in(const io::Range& range) {
  return {[range](std::string& text) { return check_number(text, range, false); }, ""};
}

CLI::Validator whole_number_in(const io::Range& range) {
  return {[range](std::string& text) { return check_number(text, range, true); }, ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = fmt::format("{{{}}}", fmt::join(words, ","));
  return {[words = std::move(words)](std::string& text) {
            if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
            return not_among(fmt::format("'{}' is not known", text), text, words);
          },
          list};
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Number of threads; 0: as many as the machine has")
      ->check(whole_number_in(thread_counts))
      ->capture_default_str();
}

std::string not_among(const std::string& problem, const std::string& word,
                      std::span<const std::string> words) {
  const std::string near = io::did_you_mean(word, words);
  return fmt::format("{}; there are {}{}", problem, fmt::join(words, ", "), near.empty() ? "" : "; " + near);
}

void add_help(CLI::App& app, std::function<int()>& action) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "List all commands, or the options of one command");
  command->add_option("command", *name, "Command (default: list all)")->type_name("COMMAND");
  command->callback([name, &app, &action] {
    action = [name, &app]() -> int {
      app.clear();  // help is for the given command: now for none
      const std::vector<std::string> names = command_names(app);
      if (!name->empty() && std::find(names.begin(), names.end(), *name) == names.end())
        throw CLI::ValidationError("help",
                                   not_among(fmt::format("there is no command '{}'", *name), *name, names));
      show(name->empty() ? app.help() : app.get_subcommand(*name)->help(app.get_name()));
      return exit_ok;
    };
  });
}

std::string usage_fault(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return extra_words_fault(app);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return missing_fault(app, error);
  const CLI::App& command = typed_command(app);
  if (dynamic_cast<const CLI::ValidationError*>(&error)) return error.what();
  return with_help(error.what(), "", full_name(app, command));
}

CLI::Validator ending_in(std::vector<std::string_view> endings) {
  return {[endings = std::move(endings)](std::string& path) {
            if (std::ranges::find(endings, std::filesystem::path(path).extension().string()) != endings.end())
              return std::string();
            return fmt::format("'{}' has an ending that cannot be written (allowed {})", path,
                               fmt::join(endings, ", "));
          },
          ""};
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@";
  if (text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  /// A flag that takes one of some words, which CLI11 writes as "--strict{red}", with ":{red,amber}" after
  /// it.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (!takes_words(*option)) return CLI::Formatter::make_option_name(option, is_positional);
    std::string words = option->get_type_name();
    std::erase_if(words, [](char c) { return c == ':' || c == '{' || c == '}'; });
    std::ranges::replace(words, ',', '|');
    const std::string name = option->get_name(false, true);
    return fmt::format("{}[={}]", name.substr(0, name.find('{')), words);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (takes_words(*option)) return "";
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::string number = fmt::format(" x {}", option->get_expected());
    if (const auto at = text.find(number); option->get_expected_min() > 1 && at != std::string::npos)
      text.erase(at, number.size());
    return text;
  }

 private:
  static bool takes_words(const CLI::Option& option) {
    return option.get_name(false, true).find('{') != std::string::npos;
  }
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace scree
