/* run.c - runs a command, or a part of it */
#include "options/run.h"

#include "base/file.h"
#include "base/words.h"
#include "options/rules.h"

#include <stdio.h>
#include <string.h>

/* The part that the word may stand for, in guess->nearest. */
static words_guess guess_part(const args_command *command, const char *word)
{
    words_guess guess = {NULL, NULL, 0};
    size_t i;
    guess.text = word;
    for (i = 0; i < command->part_count; i++) words_consider(&guess, command->parts[i]->name);
    return guess;
}

void args_fail_part(const args_command *command, const char *word)
{
    const char *title = command->name, *nearest;
    char list[400] = "";
    for (size_t i = 0; i < command->part_count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "",
                 command->parts[i]->name);
    if (!word) tool_fail("%s: a subcommand is missing: name one of %s", title, list);
    nearest = guess_part(command, word).nearest;
    tool_fail("%s: '%s' is not one of %s%s%s%s%s", title, word, list,
              command->files_max > 0 ? ", nor a file" : "", nearest ? "; did you mean " : "",
              nearest ? nearest : "", nearest ? "?" : "");
}

int args_run(const args_command *command, int argc, char **argv)
{
    char *word = argc > 1 ? argv[1] : NULL;
    args a;
    size_t i = 0;
    while (word && i < command->part_count && strcmp(word, command->parts[i]->name) != 0) i++;
    if (word && i < command->part_count) {
        argv[1] = tool_text("%s %s", argv[0], word);
        return args_run(command->parts[i], argc - 1, argv + 1);
    }
    if (command->part_count > 0 && !(word && *word == '-') &&
        (command->files_max == 0 || (word && !file_is_there(word))))
        args_fail_part(command, word);
    args_parse(&a, command, argc, argv);
    if (!command->run) tool_fail("%s: name the subcommand before the options", command->name);
    args_check_words(&a);
    args_check(&a, command->rules, command->rule_count);
    return command->run(&a);
}
