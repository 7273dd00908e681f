/* One function for each command. Its words and options have been checked against the table. It reports
   what goes wrong and returns the exit status (client/manual/command_table.h). */
#pragma once

struct context;

int command_run(struct context *context);
int command_sweep(struct context *context);
int command_recipe(struct context *context);
int command_again(struct context *context);
int command_predict(struct context *context);
int command_check(struct context *context);
int command_explain(struct context *context);
int command_occupancy(struct context *context);
int command_ls(struct context *context);
int command_show(struct context *context);
int command_watch(struct context *context);
int command_cancel(struct context *context);
int command_remove(struct context *context);
int command_undo(struct context *context);
int command_compare(struct context *context);
int command_top(struct context *context);
int command_queue(struct context *context);
int command_pause(struct context *context);
int command_resume(struct context *context);
int command_devices(struct context *context);
int command_calibration(struct context *context);
int command_kernels(struct context *context);
int command_export(struct context *context);
