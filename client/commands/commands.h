/* One function a command. Called with its words and options checked against the table; what
   went wrong has been told when it returns. Returns the exit status (client/exit.h). */
#ifndef COALESCED_CLIENT_COMMANDS_COMMANDS_H
#define COALESCED_CLIENT_COMMANDS_COMMANDS_H

struct context;

int command_run(struct context *context);
int command_sweep(struct context *context);
int command_recipe(struct context *context);
int command_predict(struct context *context);
int command_explain(struct context *context);
int command_ls(struct context *context);
int command_show(struct context *context);
int command_watch(struct context *context);
int command_cancel(struct context *context);
int command_compare(struct context *context);
int command_top(struct context *context);
int command_queue(struct context *context);
int command_devices(struct context *context);
int command_calibration(struct context *context);
int command_kernels(struct context *context);
int command_export(struct context *context);

#endif
