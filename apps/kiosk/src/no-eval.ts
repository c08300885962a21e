import { config } from 'zod/v4/core';

// Otherwise zod probes for `eval`, which the page's policy forbids and reports as a violation.
config({ jitless: true });
