#include "tools/manual.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "io/results/provenance.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"

namespace scree {

namespace {

/// Kind of an option's value, for completion.
enum class Values { none, words, folders, files, others };

/// One option, as users type it.
struct Item {
  std::vector<std::string> shorts, longs;  // without dashes; both are empty for positional arguments
  std::string value;                       // "FOLDER"; empty for flags
  std::vector<std::string> words;          // allowed words, if they are few
  std::string description;
  Values kind = Values::others;
  bool required = false;
};

/// The words of a type such as "TEXT:{red,amber}".
std::vector<std::string> words_in(const std::string& type) {
  std::vector<std::string> words;
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return words;
  std::size_t at = open + 1;
  while (at <= close) {
    const std::size_t end = std::min(type.find(',', at), close);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Item item_of(const CLI::Option& option) {
  Item item{option.get_snames(), option.get_lnames(), "", {}, option.get_description()};
  item.required = option.get_required();
  const std::string type = option.get_type_name();
  item.words = words_in(type);
  const bool is_flag = option.get_items_expected_max() == 0;
  if (!is_flag) item.value = type.substr(0, type.find(':'));
  const auto is = [&](const char* name) { return item.value.find(name) != std::string::npos; };
  item.kind = is_flag                                                ? Values::none
              : !item.words.empty()                                  ? Values::words
              : is("FOLDER")                                         ? Values::folders
              : is(".") || is("FILE") || is("PATH") || is("PROBLEM") ? Values::files
                                                                     : Values::others;
  return item;
}

struct Command {
  std::string name, description;
  std::vector<Item> options, positionals;
};

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> list;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); })) {
    Command command{sub->get_name(), sub->get_description(), {}, {}};
    for (const CLI::Option* option : sub->get_options())
      (option->get_positional() ? command.positionals : command.options).push_back(item_of(*option));
    list.push_back(std::move(command));
  }
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Command& command : list) names.push_back(command.name);
  for (Command& command : list) {
    for (Item& item : command.positionals) {
      if (item.value != "COMMAND") continue;
      item.words = names;
      item.kind = Values::words;
    }
  }
  return list;
}

std::string command_names(const std::vector<Command>& commands) {
  std::string names;
  for (const Command& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

/// "-o", "--output"
std::vector<std::string> typed(const Item& item) {
  std::vector<std::string> list;
  for (const std::string& name : item.shorts) list.push_back("-" + name);
  for (const std::string& name : item.longs) list.push_back("--" + name);
  return list;
}

// --- man
// ------------------------------------------------------------------------------------------------------------

/// Text without requests of roff.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\e";
    if (c == '-') result += "\\-";
    if (c != '\\' && c != '-') result += c;
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string roff_item(const Item& item) {
  std::string head;
  for (const std::string& name : typed(item))
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  if (!item.value.empty()) head += fmt::format("{}\\fI{}\\fR", head.empty() ? "" : " ", roff(item.value));
  std::string text = fmt::format(".TP\n{}\n{}\n", head, roff(item.description));
  if (!item.words.empty())
    text += fmt::format("One of {}.\n", roff(fmt::format("{}", fmt::join(item.words, ", "))));
  return text;
}

std::string shell_list(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// --- zsh, fish
// ------------------------------------------------------------------------------------------------------

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Text inside the brackets of zsh's _arguments.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_values(const Item& item) {
  switch (item.kind) {
    case Values::none:
      return "";
    case Values::words:
      return fmt::format(":{}:({})", zsh_text(item.value), shell_list(item.words));
    case Values::folders:
      return fmt::format(":{}:_files -/", zsh_text(item.value));
    case Values::files:
      return fmt::format(":{}:_files", zsh_text(item.value));
    case Values::others:
      return fmt::format(":{}: ", zsh_text(item.value));
  }
  return "";
}

std::string bash_values(const Item& item) {
  switch (item.kind) {
    case Values::none:
      return "";
    case Values::words:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", shell_list(item.words));
    case Values::folders:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$word\"))";
    case Values::files:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))";
    case Values::others:
      return "COMPREPLY=()";
  }
  return "";
}

std::string fish_values(const Item& item) {
  switch (item.kind) {
    case Values::none:
      return "";
    case Values::words:
      return fmt::format(" -x -a {}", quoted(shell_list(item.words)));
    case Values::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Values::files:
      return " -r";
    case Values::others:
      return " -x";
  }
  return "";
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::vector<Command> commands = commands_of(app);
  std::string text = fmt::format(
      ".TH SCREE 1 \"\" \"scree {}\" \"User Commands\"\n.SH NAME\nscree \\- granular contact dynamics\n.SH "
      "SYNOPSIS\n"
      ".B scree\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\nScree simulates heaps, beds and flows of "
      "grains that "
      "collide, slide and rest on each other and on walls. A scene is a TOML file; a run of it writes a "
      "folder "
      "of results, which the other commands read.\n",
      roff(io::scree_version()));
  for (const Command& command : commands) {
    text += fmt::format(".SH \"scree {}\"\n{}.\n", command.name, roff(command.description));
    for (const Item& item : command.positionals) text += roff_item(item);
    for (const Item& item : command.options) text += roff_item(item);
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : exit_meanings)
    text += fmt::format(".TP\n{}\n{}\n", int{exit.code}, roff(exit.meaning));
  return text + ".SH SEE ALSO\nThe pages in share/doc/scree/docs; start with first_hour.md.\n";
}

std::string bash_completion(const CLI::App& app) {
  const std::vector<Command> commands = commands_of(app);
  std::string text = fmt::format(
      "# bash completion for scree, made by `scree completion bash`\n_scree() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} "
      "command=${{COMP_WORDS[1]}}\n"
      "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n  case \"$command "
      "$before\" in\n",
      command_names(commands));
  for (const Command& command : commands) {
    for (const Item& item : command.options) {
      if (item.kind == Values::none) continue;
      std::string patterns;
      for (const std::string& name : typed(item))
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", command.name, name);
      text += fmt::format("    {}) {}; return ;;\n", patterns, bash_values(item));
    }
  }
  text += "  esac\n  case \"$command\" in\n";
  for (const Command& command : commands) {
    std::string options;
    for (const Item& item : command.options) {
      for (const std::string& name : item.longs) options += (options.empty() ? "--" : " --") + name;
    }
    text += fmt::format(
        "    {})\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\")); return; fi\n",
        command.name, options);
    const std::string value = command.positionals.empty() ? ":" : bash_values(command.positionals.front());
    text += fmt::format("      {} ;;\n", value);
  }
  return text + "  esac\n}\ncomplete -F _scree scree\n";
}

std::string zsh_completion(const CLI::App& app) {
  const std::vector<Command> commands = commands_of(app);
  std::string text =
      "#compdef scree\n# zsh completion for scree, made by `scree completion zsh`\n_scree() {\n  local "
      "state\n"
      "  _arguments -C '1:command:->command' '*::argument:->argument'\n  case $state in\n    command)\n      "
      "local -a names\n"
      "      names=(\n";
  for (const Command& command : commands)
    text += fmt::format("        {}\n", quoted(command.name + ":" + zsh_text(command.description)));
  text += "      )\n      _describe command names ;;\n    argument)\n      case $words[1] in\n";
  for (const Command& command : commands) {
    text += fmt::format("        {}) _arguments", command.name);
    for (const Item& item : command.options) {
      for (const std::string& name : typed(item))
        text += " \\\n          " +
                quoted(fmt::format("{}[{}]{}", name, zsh_text(item.description), zsh_values(item)));
    }
    // One for all: zsh allows no second one for the rest of the line, and they are of one kind.
    if (!command.positionals.empty()) {
      Item first = command.positionals.front();
      if (first.kind == Values::others)
        first.kind = Values::files;  // without any completions zsh offers no options
      text += " \\\n          " + quoted("*" + zsh_values(first));
    }
    text += " ;;\n";
  }
  return text + "      esac ;;\n  esac\n}\n_scree \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion for scree, made by `scree completion fish`\n";
  for (const Command& command : commands_of(app)) {
    text += fmt::format("complete -c scree -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        quoted(command.description));
    for (const Item& item : command.options) {
      text += fmt::format("complete -c scree -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : item.shorts) text += " -s " + name;
      for (const std::string& name : item.longs) text += " -l " + name;
      text += fmt::format("{} -d {}\n", fish_values(item), quoted(item.description));
    }
    for (const Item& item : command.positionals) {
      if (item.kind == Values::words || item.kind == Values::folders)
        text += fmt::format("complete -c scree -n '__fish_seen_subcommand_from {}'{}\n", command.name,
                            fish_values(item));
    }
  }
  return text;
}

void add_manual(CLI::App& app, std::function<int()>& action) {
  CLI::App* manual = app.add_subcommand("manual", "Print the manual page, for `man -l -`");
  manual->callback([&app, &action] {
    action = [&app] {
      show(manual_page(app));
      return int{exit_ok};
    };
  });
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script for completion of commands and options in a shell");
  completion->add_option("shell", *shell, "Shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  completion->callback([shell, &app, &action] {
    action = [shell, &app] {
      show(*shell == "bash"  ? bash_completion(app)
           : *shell == "zsh" ? zsh_completion(app)
                             : fish_completion(app));
      return int{exit_ok};
    };
  });
}

}  // namespace scree
