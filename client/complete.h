/* `coalesce --complete WORD ...`: prints candidates for the last word, one a line, some with a tab and a
   description. Names of kernels, parameters, columns, recipes, devices and ids come from the service, when
   it responds at once. */
#pragma once

/* words: those after the program's name up to the cursor; the last one is empty when a new word begins.
   Returns 0. */
int complete(int count, char **words);
