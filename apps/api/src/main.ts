/** Entry of the service. */
import { runService } from './compose/service-process.ts';

runService();
