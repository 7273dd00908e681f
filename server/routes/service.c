#include "server/routes/service.h"

struct service *request_service(const struct request *request)
{
    return request_context(request);
}
