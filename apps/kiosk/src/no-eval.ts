import { config } from 'zod/v4/core';

// Else it tries whether text may become code, which this page forbids; each try would be reported as an attack.
config({ jitless: true });
