/** Entry of the service. */
import { runService } from './service-process.ts';

runService();
