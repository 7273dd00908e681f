/* PTX around a body. */
#include "tests/unit/support/ptx_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"

static uint64_t addresses[PTX_BUFFERS_MAX];

struct ptx_module *ptx_text_read(const char *text, struct ptx_problem *problem)
{
    return ptx_module_parse(text, strlen(text), problem);
}

struct ptx_module *ptx_text_parse(unsigned parameters, const char *body)
{
    struct buffer text = {0};
    struct ptx_problem problem;
    buffer_text(&text, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(");
    for (unsigned i = 0; i < parameters; i++)
        buffer_format(&text, "%s.param .u64 p%u", i ? ", " : "", i);
    buffer_text(&text, ")\n{\n.reg .b16 %h<32>;\n.reg .b32 %w<64>;\n.reg .b64 %d<64>;\n.reg .pred %p<16>;\n");
    buffer_text(&text, body);
    buffer_text(&text, "\n}\n");
    assert_false(text.failed);
    struct ptx_module *module = ptx_text_read(text.data, &problem);
    if (!module)
        fail_msg("line %d: %s\n%s", problem.position.ptx_line, problem.text, text.data);
    if (module->functions[0].problem)
        fail_msg("line %d: %s\n%s", module->functions[0].problem->position.ptx_line,
                 module->functions[0].problem->text, text.data);
    buffer_free(&text);
    return module;
}

struct ptx_launch ptx_text_launch(const struct ptx_module *module, const struct ptx_buffer *buffers,
                                  unsigned count, unsigned blocks, unsigned threads)
{
    for (unsigned i = 0; i < PTX_BUFFERS_MAX; i++)
        addresses[i] = ptx_launch_address(i);
    return (struct ptx_launch){.module = module,
                               .entry = ptx_module_entry(module, NULL),
                               .grid = {blocks, 1, 1},
                               .block = {threads, 1, 1},
                               .parameters = addresses,
                               .buffers = buffers,
                               .buffer_count = count,
                               .check_races = true,
                               .check_undefined = true};
}
